import { expect, test } from "vitest"
import { patchSession } from "../../../src/core/settings.ts"
import { createCodexDriver } from "../../../src/drivers/codex/driver.ts"
import { alwaysThere, DriverStage } from "../stage.ts"
import { type Message, RecordedServer } from "./recorded-server.ts"

const model = { id: "other", displayName: "Other", supportedReasoningEfforts: [] }

/** Codex that refuses what it is asked by this method, so many times. */
class RefusingServer extends RecordedServer {
  constructor(
    private readonly method: string,
    private times = 1,
  ) {
    super()
  }

  readonly updated: unknown[] = []

  protected override wrote(line: Message): void {
    if (line.method === "thread/settings/update") this.updated.push(line.params)
    if (line.method === "model/list") return queueMicrotask(() => this.say({ id: line.id, result: { data: [model] } }))
    if (line.method !== this.method || this.times === 0) return super.wrote(line)
    this.times--
    queueMicrotask(() => this.say({ id: line.id, error: { code: -32600, message: "not now" } }))
  }
}

async function open(server: RecordedServer, agentMode = "build") {
  const program = { installed: true, credentials: "available" as const, command: ["codex"] }
  const driver = createCodexDriver({ programs: alwaysThere(program), version: "0" })
  const stage = new DriverStage(driver, () => server.supervisor)
  const created = stage.create("refused", { agent: "codex", agentMode })
  const { id } = await server.until(({ method }) => method === "thread/start")
  server.say({ id, result: { thread: { id: "t", path: null }, model: "m" } })
  await created
  return stage
}

test("a refusal reaches Codex also where the words with it do not reach its model", async () => {
  const server = new RefusingServer("thread/inject_items")
  await using stage = await open(server)
  await stage.post("go")
  const { id: turn, params } = await server.until(({ method }) => method === "turn/start")
  server.say({ id: turn, result: { turn: { id: "1" } } })
  server.say({ method: "turn/started", params: { threadId: "t", turn: { id: "1" } } })
  const item = { type: "userMessage", id: "u", clientId: params?.clientUserMessageId }
  server.say({ method: "item/started", params: { threadId: "t", item } })
  const ask = { threadId: "t", turnId: "1", itemId: "c", command: "rm -r .", cwd: "/" }
  server.say({ id: "ask", method: "item/commandExecution/requestApproval", params: ask })
  const { permission_id } = await stage.permission()
  await stage.reply(permission_id, "reject", "never that")
  expect(await server.until(({ id }) => id === "ask")).toMatchObject({ result: { decision: "decline" } })
  expect(stage.labels()).toContain("codex.words_lost")
})

test("an agent mode that went with a refused turn goes with the next one", async () => {
  const server = new RefusingServer("turn/start")
  await using stage = await open(server, "plan")
  expect(await stage.run("first")).toMatchObject({ stop_reason: "error" })
  await stage.post("second")
  const { params } = await server.until(({ method }) => method === "turn/start")
  expect(params?.collaborationMode).toMatchObject({ mode: "plan" })
})

test("a review has the model that was chosen since the last turn", async () => {
  const server = new RefusingServer("thread/settings/update", 0)
  await using stage = await open(server)
  await patchSession(stage.session, { model: "other" })
  await stage.post("/review")
  const { params } = await server.until(({ method }) => method === "review/start")
  expect(params).toMatchObject({ threadId: "t" })
  expect(server.updated).toMatchObject([{ model: "other", approvalPolicy: "untrusted" }])
})

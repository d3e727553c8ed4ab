import { expect, test } from "vitest"
import { createCodexDriver } from "../../../src/drivers/codex/driver.ts"
import { alwaysThere, DriverStage } from "../stage.ts"
import { RecordedServer } from "./recorded-server.ts"

test("what Codex asks and nobody can read is answered with an error, whenever it comes and of whatever thread", async () => {
  const server = new RecordedServer()
  const program = { installed: true, credentials: "available" as const, command: ["codex"] }
  const driver = createCodexDriver({ programs: alwaysThere(program), version: "0" })
  await using stage = new DriverStage(driver, () => server.supervisor)
  const refused = async (id: string, method: string, params: unknown) => {
    server.say({ id, method, params })
    expect(await server.until((line) => line.id === id)).toEqual({
      id,
      error: expect.objectContaining({ code: expect.any(Number) }),
    })
  }
  const created = stage.create("told", { agent: "codex" })
  const { id } = await server.until(({ method }) => method === "thread/start")
  server.say({ id, result: { thread: { id: "t", path: null }, model: "m" } })
  // In the same piece, before anybody could be asked.
  await refused("early", "mcpServer/elicitation/request", { threadId: "t", serverName: "s", message: "?" })
  await created
  const unreadable = {
    questions: ["item/tool/requestUserInput", { threadId: "t", itemId: "i", questions: 5 }],
    prompt: ["item/tool/requestUserInput", { threadId: "t", itemId: "i", questions: [{ id: "q", question: 5 }] }],
    unknown: ["item/dance/request", { threadId: "t" }],
    nobody: ["item/commandExecution/requestApproval", { threadId: "other", command: "ls" }],
    nothing: ["item/commandExecution/requestApproval", null],
  } as const
  for (const [name, [method, params]] of Object.entries(unreadable)) await refused(name, method, params)
  expect(stage.of("question.requested")).toEqual([])
})

import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { traitsOf } from "@sandbox-agent/schema/registry"
import { startScriptedModel } from "@sandbox-agent/scripted-model"
import { reply, text, toolCall } from "@sandbox-agent/scripted-model/script"
import { expect, test } from "vitest"
import { entryOf, programOf } from "../drivers/acp/program.ts"
import { scratch } from "../harness/daemon.ts"
import { LinesClient, startWith } from "./lines.ts"
import type { Message } from "./wire.ts"

test("what a real agent says and asks reaches an ACP client as the agent sent it, apart from ids", async () => {
  const model = await startScriptedModel({
    script: [
      reply(text("I shall make it"), toolCall("Bash", { command: "touch made.txt", description: "Makes it" })),
      "All is done.",
    ],
  })
  const home = scratch()
  const cwd = join(home, "work")
  mkdirSync(cwd)
  const described = entryOf("claude-agent-acp")
  // Under another name nobody knows that it is Claude Code behind it.
  const traits = { ...traitsOf(described), variables: ["ANTHROPIC_*", "CLAUDE_CODE_*"] }
  const entry = { ...described, _meta: { "sandboxagent.dev": traits } }
  const { command = [] } = await programOf(described)
  const quiet = { CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1" }
  const env = { HOME: home, ANTHROPIC_BASE_URL: model.url, ANTHROPIC_API_KEY: "dummy", ...quiet }
  await using daemon = await startWith("real", command, { env, entry })
  const client = await LinesClient.connect(daemon, "", { elicitation: { form: {} }, session: { notices: {} } }, "real")
  const { result } = await client.begin(cwd)
  const options = (result?.configOptions ?? []) as { id: string; name: string }[]
  expect(options.map(({ id }) => id).slice(0, 2)).toEqual(["mode", "model"])
  const prompted = client.prompt("go")
  const { id, params } = await client.nth("session/request_permission")
  const offered = (params?.options ?? []) as { optionId: string; kind: string }[]
  const chosen = offered.find(({ kind }) => kind === "allow_once")?.optionId
  await client.answer(id, { outcome: { outcome: "selected", optionId: chosen } })
  expect((await prompted).result).toMatchObject({ stopReason: "end_turn" })
  const events = await daemon.api.events(client.sessionId, "&include_raw=true")
  const [asked] = events.filter(({ type }) => type === "permission.requested")
  // Its own lines, as the log keeps them.
  const native = asked?.raw as Message
  expect(native.params?.sessionId).not.toBe(client.sessionId)
  const withOurs = (line: Message) => ({ ...line, params: { ...line.params, sessionId: client.sessionId } })
  expect(await client.nth("session/request_permission")).toEqual({ ...withOurs(native), id })
  expect(offered).toEqual(native.params?.options)
  const lines = events.filter(({ type }) => type === "item.delta").map(({ raw }) => withOurs(raw as Message))
  expect(lines.length).toBeGreaterThan(1)
  // The answer is in a body of its own, and may be here before the stream.
  await expect.poll(() => client.messages).toEqual(expect.arrayContaining(lines))
  await model.close()
}, 300_000)

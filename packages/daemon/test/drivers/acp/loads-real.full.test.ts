import { fileURLToPath } from "node:url"
import { startScriptedModel } from "@sandbox-agent/scripted-model"
import { reply, text, thinking, toolCall } from "@sandbox-agent/scripted-model/script"
import { expect, test } from "vitest"
import { Live } from "./live.ts"
import { agentOf, entryOf, programOf } from "./program.ts"

const withoutResume = fileURLToPath(new URL("./without-resume.ts", import.meta.url))

/** Claude Code behind its adapter, as an agent that loads its sessions and cannot resume them otherwise. */
async function startLoading(): Promise<Live> {
  const entry = entryOf("claude-agent-acp")
  const { command = [], ...program } = await programOf(entry)
  const env: Record<string, string> = {}
  const words = [process.execPath, "--no-env-file", withoutResume, ...command]
  const live = new Live({ ...agentOf(entry), env }, await startScriptedModel(), { ...program, command: words })
  // Also for the process that only reads the past: it is no session's.
  Object.assign(env, live.env)
  return live
}

/** What went over the pipe of a session, both ways. */
function rawLines(live: Live, s = live.session): string[] {
  live.core.context.store.flush()
  return Array.from({ length: s.rawCount }, (_, n) => live.core.context.reader.rawLine(s.record.uid, n + 1) ?? "")
}

const steps = () => [
  reply(thinking("Let me see"), text("I shall look"), toolCall("Bash", { command: "echo hi", description: "Says hi" })),
  "All is done.",
]
const past = ["thinks: Let me see", "assistant: I shall look", "call Bash", "result hi", "assistant: All is done."]

test("a real agent that was killed is loaded; its past is told to us and stands in the log once", async () => {
  await using live = await startLoading()
  await live.create("live", { permissionMode: "bypass" })
  live.model.script(steps())
  expect(await live.run("go")).toMatchObject({ stop_reason: "end_turn" })
  const before = live.events()
  await live.killAgent()
  await live.until("session.updated", ({ data }) => data.agent_process === "none")
  live.model.script(["Here again."])
  expect(await live.run("on")).toMatchObject({ stop_reason: "end_turn" })
  expect(live.transcript()).toEqual(["user: go", ...past, "user: on", "assistant: Here again."])
  expect(live.events().slice(0, before.length)).toEqual(before)
  const lines = rawLines(live)
  expect(lines.filter((line) => line.includes('"method":"session/load"'))).toHaveLength(1)
  // What would have come twice.
  expect(lines.filter((line) => line.includes("All is done.")).length).toBeGreaterThan(1)
  expect(live.wrongs()).toEqual([])
}, 300_000)

test("a session of a real agent is adopted with its past, and goes on", async () => {
  await using live = await startLoading()
  const first = await live.create("first", { permissionMode: "bypass" })
  live.model.script(steps())
  await live.run("go")
  const nativeSessionId = first.record.native.id
  await live.core.sessions.delete(first)
  const adopted = await live.create("adopted", { nativeSessionId })
  expect(live.transcript(adopted)).toEqual(["user: go", ...past])
  live.model.script(["Here again."])
  await live.run("on", adopted)
  expect(live.transcript(adopted)).toEqual(["user: go", ...past, "user: on", "assistant: Here again."])
}, 300_000)

import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { acpAgentLimits } from "@sandbox-agent/schema/driver-limits"
import { afterAll, expect, test } from "vitest"
import type { Host } from "../../../src/core/driver.ts"
import type { Sink } from "../../../src/core/driver-sink.ts"
import { Contents } from "../../../src/drivers/acp/content.ts"
import { EarlyLines } from "../../../src/drivers/acp/early-lines.ts"
import { Files } from "../../../src/drivers/acp/files.ts"
import { HeadAndTail } from "../../../src/drivers/acp/head-and-tail.ts"
import { abilitiesOf } from "../../../src/drivers/acp/initialize.ts"
import { LeftSessions } from "../../../src/drivers/acp/left-sessions.ts"
import { Messages } from "../../../src/drivers/acp/messages.ts"
import { promptOf } from "../../../src/drivers/acp/prompt.ts"
import { Terminals } from "../../../src/drivers/acp/terminals.ts"
import { ToolCalls } from "../../../src/drivers/acp/tool-calls.ts"
import { Confinement } from "../../../src/files/confinement.ts"
import { readRegular } from "../../../src/files/regular-file.ts"
import { writeRegular } from "../../../src/files/write-file.ts"
import { createSupervisor } from "../../../src/supervisor/supervisor.ts"
import { play, startPuppet } from "../../hostile/puppet.ts"
import type { Step } from "../../hostile/puppet-agent.ts"
import { foldersAt } from "../folders.ts"
import { overfill } from "./overfill.ts"
import { call, PuppetStage, update } from "./puppet-stage.ts"

const folder = mkdtempSync(join(tmpdir(), "sandbox-agent-acp-"))
const supervisor = createSupervisor({ daemonId: "acp-limits", log: () => {} })
const environment: Host["environment"] = (given) => supervisor.environment("x", given)
const host: Host = { ...foldersAt(folder), supervisor, environment, restarted: () => {}, log: () => {} }
afterAll(async () => {
  await supervisor.stopAll()
  rmSync(folder, { recursive: true, force: true })
})
const terminals = () => new Terminals("session:limits", "x", folder, {}, host)

overfill(["fileBytes"], "a larger file is neither read nor written", async () => {
  const path = join(folder, "large.txt")
  writeFileSync(path, Buffer.alloc(acpAgentLimits.fileBytes + 1, "a"))
  const anywhere = new Confinement()
  const open = {
    read: (file: string, limit: number) => readRegular(file, limit, anywhere),
    write: (file: string, text: string) => writeRegular(file, text, anywhere),
  }
  const files = new Files(open, { allow: () => Promise.resolve(true) })
  await expect(files.read({ path })).rejects.toThrow("larger than")
  const content = "a".repeat(acpAgentLimits.fileBytes + 1)
  await expect(files.write({ path: join(folder, "new.txt"), content })).rejects.toThrow("larger than")
})

overfill(["terminalBytes"], "more output than that keeps its end, and says so", async () => {
  const some = terminals()
  const lines = Math.ceil(acpAgentLimits.terminalBytes / 64) + 2_000
  const command = `yes ${"x".repeat(63)} | head -n ${lines}; echo the end`
  const id = some.create({ command, outputByteLimit: acpAgentLimits.terminalBytes * 2 })
  await some.wait(id)
  const { output, truncated } = some.output(id) as { output: string; truncated: boolean }
  expect([output.length, truncated]).toEqual([acpAgentLimits.terminalBytes, true])
  expect(output.endsWith("the end\n")).toBe(true)
  await some.release(id)
})

overfill(["terminals"], "one more is refused until one is released; all end with the session", async () => {
  const some = terminals()
  const ids = Array.from({ length: acpAgentLimits.terminals }, () => some.create({ command: "sleep", args: ["600"] }))
  expect(() => some.create({ command: "true" })).toThrow(`more than ${acpAgentLimits.terminals}`)
  await some.release(ids[0] ?? {})
  some.create({ command: "true" })
  await some.endAll()
  expect(some.output(ids[1] ?? {})).toMatchObject({ exitStatus: { signal: "SIGKILL" } })
})

test("a terminal is killed and waited for; one that is not there is an error", async () => {
  const some = terminals()
  const id = some.create({ command: "sleep 600" })
  await some.kill(id)
  expect(await some.wait(id)).toMatchObject({ exitCode: null, signal: expect.stringMatching(/SIG/) })
  expect(() => some.output({ terminalId: "no" })).toThrow("no terminal no")
  expect(() => some.create({ command: "true", cwd: "relative" })).toThrow("not absolute")
})

/** What a driver tells of one call: a sink that keeps only ends of items. */
function callsOf() {
  const ended: unknown[] = []
  const errors: string[] = []
  const quiet = new Proxy({} as Sink, {
    get: (_, name) => (name === "close" ? (_key: string, end: unknown) => void ended.push(end) : () => true),
  })
  const contents = new Contents(quiet)
  const messages = new Messages(quiet, contents)
  const tools = new ToolCalls({ sink: quiet, messages, contents, terminals: terminals(), turn: { underWay: true } })
  return { tools, messages, ended, errors }
}

overfill(["callOutputChars"], "of longer output of a call both ends are kept, and how much is missing", () => {
  const { tools, ended } = callsOf()
  const { callOutputChars } = acpAgentLimits
  tools.update({ sessionUpdate: "tool_call", toolCallId: "c", kind: "execute", rawInput: { command: "yes" } })
  const more = (data: string) =>
    tools.update({ sessionUpdate: "tool_call_update", toolCallId: "c", _meta: { terminal_output_delta: { data } } })
  more("the beginning ")
  const piece = "x".repeat(callOutputChars / 8)
  for (let n = 0; n < 64; n++) more(piece)
  more(" the end")
  tools.update({ sessionUpdate: "tool_call_update", toolCallId: "c", status: "completed" })
  const { content } = ended.at(-1) as { content: { output: string }[] }
  const output = content[0]?.output ?? ""
  expect(output.length).toBeLessThan(callOutputChars + 100)
  expect([output.startsWith("the beginning x"), output.endsWith("x the end")]).toEqual([true, true])
  const total = "the beginning ".length + 64 * piece.length + " the end".length
  expect(output).toContain(`… ${total - callOutputChars} of ${total} characters cut …`)
})

test("a text that grows is kept whole up to its limit, and never much more of it is held", () => {
  const kept = new HeadAndTail(8)
  kept.add("abcd")
  kept.add("efgh")
  expect(kept.text).toBe("abcdefgh")
  kept.add("ij")
  expect(kept.text).toBe("abcd\n… 2 of 10 characters cut …\nghij")
  expect(new HeadAndTail(0).text).toBe("")
})

overfill(["shownInputChars"], "longer arguments are shown when the call runs, not before", async () => {
  await using stage = new PuppetStage()
  await stage.open()
  const given = (chars: number) => ({ text: "x".repeat(chars - JSON.stringify({ text: "" }).length) })
  const { shownInputChars: most } = acpAgentLimits
  const longer = given(most + 1)
  await stage.play(call("c"), update("c", { rawInput: given(most) }), update("c", { rawInput: longer }))
  expect(stage.of("item.delta").map(({ data }) => data.delta.length)).toEqual([most])
  expect(stage.calls()[0]).toBe(`call c ${JSON.stringify(longer)}`)
})

overfill(["asideChars"], "of a text without a name its end is kept, not all of it", () => {
  const { messages } = callsOf()
  const { asideChars } = acpAgentLimits
  const say = (text: string) => messages.chunk("text", { content: { type: "text", text } }, undefined)
  for (let n = 0; n < 64; n++) say("y".repeat(asideChars / 4))
  say("out of credit")
  expect(messages.aside.length).toBeLessThanOrEqual(2 * asideChars)
  expect(messages.aside.endsWith("yout of credit")).toBe(true)
})

overfill(["earlyChars"], "what is told of sessions that nobody knows yet is kept up to there, and given back", () => {
  const early = new EarlyLines()
  const incoming = { method: "session/update", params: {} }
  const half = "x".repeat(acpAgentLimits.earlyChars / 2)
  expect([early.keep("a", half, incoming), early.keep("b", half, incoming)]).toEqual([true, true])
  expect(early.keep("a", "x", incoming)).toBe(false)
  expect(early.take("b").map(({ raw }) => raw.length)).toEqual([half.length])
  expect([early.keep("a", half, incoming), early.take("a").length, early.take("a").length]).toEqual([true, 2, 0])
})

overfill(["leftSessions"], "so many sessions that have left are known, of more the newest", () => {
  const left = new LeftSessions()
  for (let n = 0; n <= acpAgentLimits.leftSessions; n++) left.add(`s${n}`)
  expect([left.has("s0"), left.has("s1"), left.has(`s${acpAgentLimits.leftSessions}`)]).toEqual([false, true, true])
  left.delete("s1")
  expect(left.has("s1")).toBe(false)
})

overfill(["promptBytes"], "a larger picture is named by its path, not sent along", async () => {
  const path = join(folder, "large.png")
  writeFileSync(path, Buffer.alloc(acpAgentLimits.promptBytes + 1))
  const abilities = abilitiesOf({ agentCapabilities: { promptCapabilities: { image: true } } })
  const message = { id: "m", text: "look", attachments: [{ path, mime: "image/png", filename: "large.png" }] }
  expect((await promptOf(message, abilities, new Confinement())).prompt).toMatchObject([
    { type: "text" },
    { type: "resource_link", name: "large.png" },
  ])
  const small = { ...message, attachments: [{ bytes: new Uint8Array(3), mime: "image/png" }] }
  expect((await promptOf(small, abilities, new Confinement())).prompt[1]).toMatchObject({ type: "image", data: "AAAA" })
})

overfill(["statusChars"], "of a longer notification of the agent's own its beginning is shown", async () => {
  await using daemon = await startPuppet()
  await daemon.api.create("noted", { agent: "puppet" })
  const note = (length: number): Step => ({
    raw: `{"jsonrpc":"2.0","method":"_vendor/note","params":{"sessionId":"$SESSION","x":"${"x".repeat(length)}"}}`,
  })
  const around = JSON.stringify({ x: "" }).length
  const events = await play(daemon, "noted", [
    note(acpAgentLimits.statusChars - around),
    note(acpAgentLimits.statusChars - around + 1),
    { say: '"done"' },
  ])
  const shown = events.flatMap((event) =>
    event.type === "item.completed"
      ? event.data.item.content.flatMap((part) => (part.type === "status" ? part : []))
      : [],
  )
  const notes = shown.filter(({ label }) => label.endsWith("vendor/note")).map(({ detail }) => detail ?? "")
  expect(notes.map(({ length }) => length)).toEqual([acpAgentLimits.statusChars, acpAgentLimits.statusChars])
  expect(notes.map((text) => text.endsWith("}"))).toEqual([true, false])
})

import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { ampLimits } from "@sandbox-agent/schema/driver-limits"
import { overfilling } from "@sandbox-agent/test-agents/overfill"
import { expect } from "vitest"
import { userMessage } from "../../../src/drivers/amp/message.ts"
import { skillServers } from "../../../src/drivers/amp/skill-servers.ts"
import { exportThread } from "../../../src/drivers/amp/threads.ts"
import { toolCall } from "../../../src/drivers/amp/tools.ts"
import { Confinement } from "../../../src/files/confinement.ts"
import { scratch } from "../../harness/daemon.ts"
import { RecordedProcess } from "../recorded-process.ts"
import { openGate } from "./gate.ts"
import { recorded, replay, start } from "./replay.ts"

const { overfill, expectAll } = overfilling(ampLimits)

const png = Buffer.from("\x89PNG\r\n\x1a\nrest", "latin1")
const ask = { tool: "Bash", call: "c", input: { cmd: "ls" } }

overfill(["asks"], "a further tool is refused, and those before it wait on", async () => {
  using gate = openGate()
  const calls = Array.from({ length: ampLimits.asks }, () => gate.ask(ask))
  await gate.waiting(ampLimits.asks)
  expect(await gate.ask(ask)).toMatchObject({ refuse: expect.stringContaining("too many") })
  for (const { key } of gate.asked) gate.answer(key, { allow: true })
  expect(await Promise.all(calls)).toEqual(calls.map(() => ({ allow: true })))
})

overfill(["askBytes"], "a tool that is called with more is refused", async () => {
  using gate = openGate()
  const long = gate.ask("x".repeat(ampLimits.askBytes + 1))
  expect(await long).toMatchObject({ refuse: expect.stringContaining("too long") })
})

const partsOf = async (attachments: object[]) => {
  const { message } = await userMessage({ id: "m", text: "", attachments } as never, new Confinement())
  return message.content.map((part) => (part.type === "text" ? part.text : part.source.media_type))
}

overfill(["images"], "a further picture is named by its path", async () => {
  const many = Array.from({ length: ampLimits.images + 1 }, (_, n) => ({
    path: `/${n}`,
    bytes: png,
    mime: "image/png",
  }))
  expect(await partsOf(many)).toEqual([
    `Attached files:\n- /${ampLimits.images}`,
    ...Array.from({ length: ampLimits.images }, () => "image/png"),
  ])
})

overfill(["imageBytes"], "a larger picture is named by its path", async () => {
  const sized = (length: number) => [{ path: "/p", bytes: Buffer.concat([png], length), mime: "image/png" }]
  expect(await partsOf(sized(ampLimits.imageBytes))).toEqual(["image/png"])
  expect(await partsOf(sized(ampLimits.imageBytes + 1))).toEqual(["Attached files:\n- /p"])
})

overfill(["titleChars"], "a longer title is cut", () => {
  const { title } = toolCall("c", "Bash", { cmd: "x".repeat(ampLimits.titleChars + 1) })
  expect(title).toHaveLength(ampLimits.titleChars)
})

overfill(["silenceMs"], "its input is ended, and the turn ends with it", async () => {
  const { stage, process } = await start({ silenceMs: 1 })
  await using _ = stage
  const lines = recorded("01-basic-text")
  await stage.post("one")
  await process.until(({ type }) => type === "user")
  for (const { msg } of lines.slice(1, 3)) process.say(msg)
  await process.inputEnded
  expect(stage.of("turn.ended")).toEqual([])
  for (const { msg } of lines.slice(3, 5)) process.say(msg)
  expect(stage.of("turn.ended")).toEqual([])
  process.options?.onExit({ code: 0 })
  expect(stage.of("turn.ended").map(({ data }) => data.stop_reason)).toEqual(["end_turn"])
})

overfill(["exportChars"], "a longer thread is not adopted", async () => {
  const process = new RecordedProcess()
  const { supervisor } = process
  const place = { owner: "o", directory: "/", env: {} }
  const id = `T-${crypto.randomUUID()}`
  const exported = exportThread({ command: ["amp"], env: {} }, id, place, { supervisor })
  const line = "x".repeat(16 * 1024 * 1024)
  for (let chars = 0; chars <= ampLimits.exportChars; chars += line.length) process.say(line)
  process.options?.onExit({ signal: "SIGKILL" })
  await expect(exported).rejects.toMatchObject({ code: "payload_too_large" })
})

overfill(["skillFolders"], "what skills in further folders bring is not seen", async () => {
  const folder = scratch()
  writeFileSync(join(folder, "mcp.json"), JSON.stringify({ one: { command: "x" } }))
  const found = async (before: number) => {
    const nowhere = Array.from({ length: before }, (_, n) => join(folder, `nowhere-${n}`))
    return (await skillServers([...nowhere, folder], new Confinement())).map(({ name }) => name)
  }
  expect(await found(ampLimits.skillFolders - 1)).toEqual(["one"])
  expect(await found(ampLimits.skillFolders)).toEqual([])
})

overfill(["uploadMs"], "killed later, it is taken to have kept the thread", async () => {
  const kept = async (waitMs: number) => {
    await using stage = await replay(recorded("05-stream-json-input").slice(0, -3))
    await Bun.sleep(waitMs)
    stage.process.options?.onExit({ signal: "SIGKILL" })
    return stage.session.record.native.durable
  }
  expect([await kept(0), await kept(ampLimits.uploadMs + 1)]).toEqual([false, true])
})

expectAll()

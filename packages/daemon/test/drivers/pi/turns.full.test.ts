import { existsSync, mkdirSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { reply, text, toolCall } from "@sandbox-agent/scripted-model/script"
import { expect, test } from "vitest"
import { cancelTurn } from "../../../src/core/cancel.ts"
import { createSession } from "../../../src/core/creation.ts"
import { forkSession } from "../../../src/core/fork.ts"
import { closeProcess } from "../../../src/core/process.ts"
import { startLive } from "./live.ts"

const timeout = 120_000
const bash = (command: string) => toolCall("bash", { command })

test("a fork at an earlier turn knows what was said until then, and no more", { timeout }, async () => {
  await using live = await startLive(["zebra", "giraffe", "of the fork", "third"])
  await live.run("one")
  const { sequence } = live.of("turn.ended")[0] ?? { sequence: 0 }
  await live.run("two")
  const { session, error } = await forkSession(live.core.sessions, live.session, { id: "fork", atSequence: sequence })
  expect(error).toBeUndefined()
  const fork = live.keep(session)
  await live.run("three", fork)
  expect(live.given()).toContain("zebra")
  expect(live.given()).not.toContain("giraffe")
  await live.run("four")
  expect(live.given()).toContain("giraffe")
  expect(live.given()).not.toContain("of the fork")
  expect(fork.record.native.id).not.toBe(live.session.record.native.id)
  expect(live.wrongs()).toEqual([])
})

test("a session of its own is adopted with its past, in its directory alone", { timeout }, async () => {
  const script = [reply("I run", bash("echo hi; exit 3")), "bye", "still here"]
  await using live = await startLive(script, { create: { permissionMode: "bypass" } })
  await live.run("one")
  const id = live.session.record.native.id ?? ""
  await live.core.sessions.deleteById("live")
  const other = join(live.directory, "other")
  mkdirSync(other)
  process.env.PI_CODING_AGENT_DIR = live.agentFolder
  try {
    const body = { agent: "pi", env: live.env, nativeSessionId: id }
    const elsewhere = createSession(live.core.sessions, "elsewhere", { ...body, directory: other })
    await expect(elsewhere).rejects.toMatchObject({ code: "invalid_request" })
    const adopted = await live.create("adopted", body)
    expect(live.transcript(adopted).slice(0, 3)).toEqual(["user: one", "assistant: I run", "call bash"])
    expect(live.transcript(adopted).at(-1)).toBe("assistant: bye")
    expect(await live.run("two", adopted)).toMatchObject({ stop_reason: "end_turn" })
    expect(adopted.record.native.id).toBe(id)
    expect(live.given()).toContain("bye")
  } finally {
    delete process.env.PI_CODING_AGENT_DIR
  }
})

test("a steered message comes before the next answer; one that came too late has a turn of its own", {
  timeout,
}, async () => {
  const slow = text(["a ", "b ", "c "], { delayMs: 300 })
  await using live = await startLive([reply(slow, bash("true")), "with it", reply(slow), "alone"], {
    create: { permissionMode: "bypass" },
  })
  const first = live.run("one")
  await live.until("item.delta")
  const into = await live.post("also this", { delivery: "steer" })
  expect((await first).message_ids).toContain(into)
  expect(live.given(1)).toContain("also this")
  await live.run("two")
  const late = await live.post("and this", { delivery: "steer" })
  const ended = await live.until("turn.ended", ({ data }) => data.message_ids.includes(late))
  expect(ended.data.message_ids).toEqual([late])
  expect(live.wrongs()).toEqual([])
})

test("interrupted in a command, with a message behind it: the command ends, the message goes next", {
  timeout,
}, async () => {
  await using live = await startLive([reply(bash("echo $$ > pid; sleep 600")), "next"], {
    create: { permissionMode: "bypass" },
  })
  void live.post("one")
  await live.until("item.delta", ({ data }) => data.part.type === "arguments")
  await expect.poll(() => existsSync(live.file("pid"))).toBe(true)
  const steered = await live.post("behind it", { delivery: "steer" })
  await expect.poll(() => live.session.sending?.id).toBe(steered)
  await cancelTurn(live.session, {})
  await live.until("turn.ended", ({ data }) => data.message_ids.includes(steered))
  expect(live.of("turn.ended").map(({ data }) => data.stop_reason)).toEqual(["cancelled", "end_turn"])
  expect(live.wrongs()).toEqual([])
})

test("a system prompt stands beside Pi's own and the user's, also when the session is resumed", {
  timeout,
}, async () => {
  const files = { "APPEND_SYSTEM.md": "The user likes zebras." }
  const create = { systemPrompt: "Speak like a pirate." }
  await using live = await startLive(["one", "two"], { files, create })
  await live.run("one")
  for (const words of ["Speak like a pirate.", "The user likes zebras.", "coding"])
    expect(live.given()).toContain(words)
  await closeProcess(live.session)
  await live.run("two")
  expect(live.given()).toContain("Speak like a pirate.")
  // There would be secrets in it.
  expect(readdirSync(join(live.directory, "agents/pi/sessions/live"))).toEqual([])
})

test("without a model that it could ask, it is said so before anything is sent", { timeout }, async () => {
  const files = { "models.json": "{}", "settings.json": "{}" }
  await expect(startLive([], { files })).rejects.toThrow("Pi has no model that this machine has a login for")
})

test("what was said is summarized when it is asked for, and the session goes on with the summary", {
  timeout,
}, async () => {
  const settings = { defaultProvider: "scripted", defaultModel: "one", compaction: { keepRecentTokens: 1 } }
  const files = { "settings.json": JSON.stringify(settings) }
  await using live = await startLive(["zebra", "giraffe", "after it"], { files })
  const nothing = await live.run("/compact")
  expect([nothing.stop_reason, nothing.error?.message]).toEqual([
    "error",
    expect.stringContaining("Nothing to compact"),
  ])
  await live.run("one")
  await live.run("two")
  expect(await live.run("/compact keep the stripes")).toMatchObject({ stop_reason: "end_turn" })
  const asked = live.model.sideRequests.map(({ request }) => JSON.stringify(request?.body))
  expect(asked.filter((one) => one.includes("keep the stripes"))).toHaveLength(1)
  expect(live.labels().slice(-2)).toEqual(["pi.compacting", "pi.compacted"])
  await live.run("three")
  expect(live.given()).toContain("Scripted summary")
  expect(live.given()).not.toContain("zebra")
  expect(live.wrongs()).toEqual([])
})

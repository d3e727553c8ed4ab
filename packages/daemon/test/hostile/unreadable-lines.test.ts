import { limits } from "@sandbox-agent/schema/limits"
import { afterAll, beforeAll, expect, test } from "vitest"
import type { TestDaemon } from "../harness/daemon.ts"
import { answersIn, play, startPuppet } from "./puppet.ts"
import type { Step } from "./puppet-agent.ts"

let daemon: TestDaemon
beforeAll(async () => {
  daemon = await startPuppet()
})
afterAll(async () => {
  await daemon?.stop()
})

const begin = async (id: string) => {
  await daemon.api.create(id, { agent: "puppet" })
  return id
}

/** A request with this in the middle of its parameters. */
const request = (id: string, middle: string, times: number, after: string, before = ""): Step => ({
  begin: `{"jsonrpc":"2.0","id":"${id}","method":"fs/read_text_file","params":{"sessionId":"$SESSION","path":"/x","more":${before}`,
  middle,
  times,
  end: `${after}}}`,
  answer: id,
})
const deep = (depth: number) => ({ open: "[".repeat(depth), close: "]".repeat(depth) })
const refused = (message: RegExp) => ({ code: -32600, message: expect.stringMatching(message) })

test("a line nested deeper than it may be is not read, a request in it is refused, and the turn goes on", async () => {
  const id = await begin("deep")
  // The line itself has levels of its own around what is nested here.
  const { open, close } = deep(limits.agentLineDepth)
  const update = (levels: number): Step => ({
    raw: `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"$SESSION","update":{"sessionUpdate":"plan","entries":[],"_meta":{"a":${"[".repeat(levels)}${"]".repeat(levels)}}}}}`,
  })
  const events = await play(daemon, id, [
    update(limits.agentLineDepth - 4),
    update(limits.agentLineDepth - 3),
    update(30_000),
    request("deep-request", open, 1, close),
    { say: '"done"' },
  ])
  expect(answersIn(events)).toEqual([refused(/nested deeper than 256/), "done"])
  const unparsed = events.filter(({ type }) => type === "agent.unparsed")
  expect(unparsed).toHaveLength(3)
  for (const { data } of unparsed) expect(data).toMatchObject({ error: expect.stringContaining("nested deeper") })
  expect(events.filter(({ type }) => type === "plan.updated")).toHaveLength(1)
})

test("what is nested deep inside a text of an agent stays a text", async () => {
  const id = await begin("deep-text")
  const { open, close } = deep(30_000)
  const call = { sessionUpdate: "tool_call", toolCallId: "c", title: "t", status: "completed", rawInput: open + close }
  const events = await play(daemon, id, [{ update: call }, { say: '"done"' }])
  expect(answersIn(events)).toEqual(["done"])
})

test("a line that was not read is passed to clients as the text it is", async () => {
  const id = await begin("deep-raw")
  const { open, close } = deep(30_000)
  await play(daemon, id, [{ raw: `{"sessionId":"$SESSION","a":${open}${close}}` }])
  const events = await daemon.api.events(id, "&include_raw=true")
  const found = events.find(({ type }) => type === "agent.unparsed") as unknown as { raw: unknown }
  expect(found.raw).toMatch(/^\{"sessionId":"puppet-\d+","a":\[{30000}\]{30000}\}$/)
})

test("a request that is longer than a line may be is refused, by the id in its beginning", async () => {
  const id = await begin("long")
  const events = await play(daemon, id, [
    request("long-request", "x", limits.agentLineBytes, '"', '"'),
    { say: '"done"' },
  ])
  expect(answersIn(events)).toEqual([refused(/bytes was passed over/), "done"])
})

test("an answer that is longer than a line may be ends what waited for it", async () => {
  const id = await begin("long-answer")
  const step: Step = {
    begin: '{"jsonrpc":"2.0","id":$PROMPT,"result":{"stopReason":"',
    middle: "x",
    times: limits.agentLineBytes,
    end: '"}}',
    answer: "nobody answers this",
  }
  expect((await play(daemon, id, [step])).at(-1)).toMatchObject({
    type: "turn.ended",
    data: { stop_reason: "error", error: { message: expect.stringContaining("passed over") } },
  })
})

test("an answer with neither a result nor an error ends what waited for it", async () => {
  const id = await begin("no-answer")
  const step: Step = {
    begin: '{"jsonrpc":"2.0","id":$PROMPT}',
    middle: "",
    times: 0,
    end: "",
    answer: "nobody answers this",
  }
  expect((await play(daemon, id, [step])).at(-1)).toMatchObject({
    type: "turn.ended",
    data: { stop_reason: "end_turn" },
  })
})

/** In a process of two sessions: text, JSON that is no message, and a line that is too long. */
const noise: Step[] = [
  { raw: "DEBUG secret of its own" },
  { raw: "[1]" },
  { begin: "x", middle: "secret", times: limits.agentLineBytes / 5, end: "" },
]
const told = async (id: string) => {
  const events = await daemon.api.events(id, "&include_raw=true")
  const unparsed = events.flatMap((event) => (event.type === "agent.unparsed" ? [event] : []))
  expect(unparsed.every(({ source, raw }) => (source === "agent") === (raw !== undefined))).toBe(true)
  return unparsed
}
const withText = (found: Awaited<ReturnType<typeof told>>) =>
  found.map(({ raw }) => (raw === undefined ? undefined : JSON.stringify(raw).slice(0, 6)))

test("a line that names no session is kept with the one that works, and not with another of its process", async () => {
  const [idle, works] = [await begin("idle"), await begin("works")]
  await play(daemon, works, [...noise, { say: '"done"' }])
  expect(withText(await told(works))).toEqual(['"DEBUG', "[1]", '"xsecr'])
  expect(await told(idle)).toEqual([])
})

test("where several work each is told that a line was passed over, and none gets its text", async () => {
  const [idle, one, two] = [await begin("idle-2"), await begin("one"), await begin("two")]
  const asked = {
    toolCall: { toolCallId: "c", title: "t" },
    options: [{ optionId: "y", name: "Y", kind: "allow_once" }],
  }
  await daemon.api.send(one, JSON.stringify([{ request: "session/request_permission", params: asked }]))
  await daemon.api.until(one, "permission.requested")
  await play(daemon, two, [...noise, { say: '"done"' }])
  for (const id of [one, two]) {
    const unparsed = await told(id)
    expect(withText(unparsed)).toEqual([undefined, undefined, undefined])
    expect(JSON.stringify(unparsed)).not.toMatch(/secret|DEBUG|raw_hash/)
    expect(unparsed[0]?.data.error).toContain("was passed over")
  }
  expect(await told(idle)).toEqual([])
})

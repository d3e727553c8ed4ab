import { readFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { type CheckedDaemon, startChecked } from "./checked-api.ts"
import { itemsOf, ofType, outputOf, textOf } from "./transcript.ts"

let daemon: CheckedDaemon
beforeAll(async () => {
  daemon = await startChecked()
})
afterAll(() => daemon.finish())

/** All events of one turn in a session of its own. */
async function say(id: string, script: string) {
  await daemon.api.create(id, { permissionMode: "bypass" })
  return daemon.api.turn(id, script)
}

describe("items", () => {
  test("text is streamed in words that add up to the whole", async () => {
    const events = await say("text", "one two  three\nfour ✓ 😀")
    const deltas = ofType(events, "item.delta").map((event) => event.data.delta)
    expect(deltas.length).toBeGreaterThan(3)
    expect(deltas.join("")).toBe("one two  three\nfour ✓ 😀")
    expect(textOf(events)).toBe("one two  three\nfour ✓ 😀")
    expect(
      ofType(events, "item.delta").every((event) => event.data.part.type === "text" && event.source === "agent"),
    ).toBe(true)
  })

  test("an agent without deltas gets one of ours before the completion", async () => {
    const deltas = ofType(await say("whole", "/echo all at once"), "item.delta")
    expect(deltas).toMatchObject([{ data: { delta: "all at once" }, synthetic: true, source: "daemon" }])
  })

  test("reasoning is its own item", async () => {
    const [, item] = itemsOf(await say("think", "/think let me see"))
    expect(item).toMatchObject({
      role: "assistant",
      content: [{ type: "reasoning", text: "let me see", visibility: "private" }],
    })
  })

  test("a tool call and its result are joined by call_id and share a parent", async () => {
    const events = await say("tool", 'looking\n/tool Look {"at":"this"}')
    const [, text, call, result] = itemsOf(events)
    const [made] = call?.content ?? []
    expect(call).toMatchObject({ kind: "tool_call", parent_id: text?.item_id, status: "completed" })
    expect(made).toMatchObject({ type: "tool_call", name: "Look", arguments: '{"at":"this"}' })
    expect(result).toMatchObject({ kind: "tool_result", role: "tool", parent_id: text?.item_id, status: "completed" })
    expect(result?.content[0]).toMatchObject({
      call_id: made?.type === "tool_call" ? made.call_id : "",
      output: '{"at":"this"}',
    })
  })

  test("an edit writes the file and tells the diff", async () => {
    await daemon.api.create("edit", { permissionMode: "acceptEdits" })
    const first = itemsOf(await daemon.api.turn("edit", "/edit edited.txt alpha")).at(-1)
    const second = itemsOf(await daemon.api.turn("edit", "/edit edited.txt beta")).at(-1)
    const path = join(daemon.dataDir, "edited.txt")
    expect(readFileSync(path, "utf8")).toBe("beta")
    expect(first?.content[1]).toMatchObject({
      type: "file_ref",
      path: expect.stringContaining("edited.txt"),
      action: "write",
    })
    expect(second?.content[1]).toMatchObject({
      type: "file_ref",
      action: "patch",
      diff: expect.stringMatching(/-alpha.*\+beta/s),
    })
  })

  test("a command runs for real; its failure is an error of the tool, not of the turn", async () => {
    const events = await say("run", "/run echo out; echo err >&2\n/run exit 3")
    expect(outputOf(events)[0]?.split("\n").sort()).toEqual(["", "err", "out"])
    expect(itemsOf(events).at(-1)).toMatchObject({
      status: "failed",
      content: [{ is_error: true, output: "Exit code 3." }],
    })
    expect(events.at(-1)).toMatchObject({ data: { stop_reason: "end_turn" } })
  })

  test("items of a sub-agent hang on the call that started them, in the same session", async () => {
    const events = await say("subagent", "/subagent")
    const items = itemsOf(events)
    const task = items.find((item) => item.content.some((part) => part.type === "tool_call" && part.name === "Task"))
    const inner = items.filter((item) => item.parent_id === task?.item_id)
    expect(inner.map((item) => item.kind)).toEqual(["message", "tool_call", "tool_result"])
    expect(outputOf(events)).toEqual(["a.txt\nb.txt", "There are 2 files."])
    expect((await daemon.api.ok<{ sessions: unknown[] }>("GET", "/v1/sessions?limit=200")).sessions).not.toContainEqual(
      expect.objectContaining({ id: expect.stringContaining("task") }),
    )
  })

  test("/image is an image part", async () => {
    const [, item] = itemsOf(await say("image", "/image"))
    expect(item?.content).toMatchObject([
      { type: "image", mime: "image/png", blob: expect.stringMatching(/^[0-9a-f]{64}$/) },
    ])
  })

  test("lifecycle notes of the agent are status items with its name", async () => {
    const [, item] = itemsOf(await say("status", "/sleep 1"))
    expect(item).toMatchObject({ kind: "status", content: [{ type: "status", label: "mock.sleep", detail: "1 ms" }] })
  })

  test("the folded transcript is true for its sequence, also in the middle of a turn", async () => {
    const { api } = daemon
    await api.create("fold")
    await api.send("fold", "before\n/flood 100000 100")
    await api.until("fold", "item.delta", ({ data }) => data.delta.startsWith("3:"))
    const { items, sequence } = await api.items("fold")
    const open = items.at(-1)
    const deltas = ofType(await api.events("fold"), "item.delta")
    const upTo = deltas.filter((event) => event.sequence <= sequence && event.data.item_id === open?.item_id)
    expect(open).toMatchObject({
      status: "in_progress",
      content: [{ type: "text", text: upTo.map((event) => event.data.delta).join("") }],
    })
    await api.ok("POST", "/v1/sessions/fold/cancel")
  })
})

describe("other events of a turn", () => {
  test("/todo tells the plan as it changes", async () => {
    const plans = ofType(await say("todo", "/todo"), "plan.updated").map((event) =>
      event.data.entries.map((e) => e.status),
    )
    expect(plans[0]).toEqual(["pending", "pending", "pending"])
    expect(plans.at(-1)).toEqual(["completed", "completed", "completed"])
    expect(plans).toContainEqual(["completed", "in_progress", "pending"])
  })

  test("/usage adds up over the session and is told per turn", async () => {
    const { api } = daemon
    const first = await say("usage", "/usage")
    const once = { input_tokens: 1600, output_tokens: 400, cached_tokens: 2000, reasoning_tokens: 100, cost_usd: 0.375 }
    expect(ofType(first, "usage.updated").at(-1)?.data).toEqual({ ...once, context_used: 2000, context_size: 200_000 })
    expect(first.at(-1)).toMatchObject({ data: { usage: once, cost_usd: 0.375 } })
    const second = await api.turn("usage", "/usage")
    expect(second.at(-1)).toMatchObject({ data: { usage: once, cost_usd: 0.375 } })
    const total = { input_tokens: 3200, output_tokens: 800, cached_tokens: 4000, reasoning_tokens: 200, cost_usd: 0.75 }
    expect((await api.session("usage")).usage).toEqual({ ...total, context_used: 2000, context_size: 200_000 })
    const third = await api.turn("usage", "no usage")
    expect(third.at(-1)?.data).not.toHaveProperty("usage")
  })

  test("/error ends the turn, not the session", async () => {
    const events = await say("error", "/error the model is tired")
    expect(ofType(events, "error")).toMatchObject([{ data: { message: "the model is tired", code: "mock_error" } }])
    expect(events.at(-1)).toMatchObject({ data: { stop_reason: "error", error: { message: "the model is tired" } } })
    expect(textOf(await daemon.api.turn("error", "and now?"))).toBe("and now?")
  })

  test("/garbage is told as agent.unparsed with the line in raw, and the turn goes on", async () => {
    const events = await say("garbage", "/garbage\n/echo fine")
    const [unparsed] = ofType(events, "agent.unparsed")
    expect(unparsed?.data).toMatchObject({
      error: expect.stringMatching(/\S/),
      location: expect.stringContaining("mock"),
      raw_hash: expect.stringMatching(/^[0-9a-f]{64}$/),
    })
    const withRaw = (await daemon.api.events("garbage", "&include_raw=true")).find(
      (e) => e.sequence === unparsed?.sequence,
    )
    expect(withRaw?.raw).toBe("This is not JSON: {oops")
    expect(textOf(events)).toBe("fine")
  })

  test("/unknown is an unknown item with what the agent said", async () => {
    const [, item] = itemsOf(await say("unknown", "/unknown\n/echo fine"))
    expect(item).toMatchObject({ kind: "unknown", content: [{ type: "json", json: { type: "novelty" } }] })
  })

  test("/background ends late, and the agent starts a turn by itself", async () => {
    const { api } = daemon
    const events = await say("background", "/background 50")
    const [call, result] = itemsOf(events).slice(1)
    expect(result?.content[0]).toMatchObject({ type: "tool_result", detached: true })
    const started = await api.until("background", "turn.started", ({ data }) => data.origin === "agent")
    expect(started.data.message_ids).toEqual([])
    const ended = await api.until("background", "turn.ended", ({ data }) => data.turn_id === started.data.turn_id)
    const between = (await api.events("background")).filter(
      (e) => e.sequence > (events.at(-1)?.sequence ?? 0) && e.sequence <= ended.sequence,
    )
    const late = itemsOf(between).find((item) => item.late)
    const callId = call?.content[0]?.type === "tool_call" ? call.content[0].call_id : ""
    expect(late).toMatchObject({ kind: "tool_result", content: [{ call_id: callId, output: "Finished after 50 ms." }] })
    expect(late?.turn_id).toBeUndefined()
    expect(textOf(between)).toBe("Background work finished after 50 ms.")
    const counts = ofType(await api.events("background"), "session.updated").flatMap(
      ({ data }) => data.background ?? [],
    )
    expect(counts).toEqual([1, 0])
  })
})

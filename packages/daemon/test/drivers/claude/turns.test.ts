import { writeFileSync } from "node:fs"
import { gate, hold, reply, text, thinking, toolCall, words } from "@sandbox-agent/scripted-model/script"
import { versions } from "@sandbox-agent/test-agents/claude"
import { describe, expect, test } from "vitest"
import { startLive } from "./live.ts"

describe.each(versions)("claude %s", (version) => {
  test("text is streamed, thinking is private, and a second turn knows the first", async () => {
    await using live = await startLive(
      [reply(thinking(["Let me ", "see"]), text(words("Hello big world"))), "And again"],
      { version },
    )
    expect(await live.run("first")).toMatchObject({ stop_reason: "end_turn" })
    expect(await live.run("second")).toMatchObject({
      stop_reason: "end_turn",
      usage: { input_tokens: 100, output_tokens: 20 },
      cost_usd: expect.any(Number),
    })
    expect(live.transcript()).toEqual([
      "user: first",
      "thinks: Let me see",
      "assistant: Hello big world",
      "user: second",
      "assistant: And again",
    ])
    expect(live.of("item.delta").filter(({ data }) => data.part.type === "text").length).toBeGreaterThan(3)
    const usage = live.session.record.usage
    expect(usage).toMatchObject({ input_tokens: 200, output_tokens: 40, context_used: 120, context_size: 1_000_000 })
    expect(JSON.stringify(live.model.requests[1]?.body)).toContain("Hello big world")
    expect(live.session.record.native).toMatchObject({ id: expect.stringMatching(/^[0-9a-f-]{36}$/), durable: true })
    expect(live.wrongs()).toEqual([])
    live.model.assertDone()
  })

  test("a message during a tool is folded into the turn, one during text gets the next", async () => {
    const held = gate()
    await using live = await startLive(
      [
        reply(toolCall("Bash", { command: "until [ -e go-on ]; do sleep 0.05; done" })),
        "both answered",
        reply(text(["slow ", hold(held), "answer"])),
        "next answered",
      ],
      { version, create: { permissionMode: "bypass" } },
    )
    const first = await live.post("first")
    await live.until("item.completed", ({ data }) => data.item.kind === "tool_call")
    const folded = await live.post("folded", { delivery: "steer" })
    // It was taken by the core; only what Claude Code has before its tool ends is folded in.
    await live.hasRead("folded")
    writeFileSync(live.file("go-on"), "")
    const { data } = await live.until("turn.ended")
    expect(data).toMatchObject({ message_ids: [first, folded], stop_reason: "end_turn" })

    const second = await live.post("second")
    await live.until("item.delta", ({ data }) => data.delta === "slow ")
    const late = await live.post("late", { delivery: "steer" })
    held.open()
    await live.until("turn.ended", ({ data }) => data.message_ids.includes(late))
    const ends = live.of("turn.ended").map(({ data }) => data.message_ids)
    expect(ends).toEqual([[first, folded], [second], [late]])
    expect(live.transcript()).toEqual([
      ...["user: first", "call Bash", "result ", "user: folded", "assistant: both answered"],
      ...["user: second", "assistant: slow answer", "user: late", "assistant: next answered"],
    ])
    expect(live.wrongs()).toEqual([])
  })
})

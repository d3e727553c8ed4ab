import { describe, expect, test } from "vitest"
import { textsOf } from "./items.ts"
import { untilGone } from "./processes.ts"
import type { Call } from "./recorder.ts"
import { openSession } from "./session.ts"

describe("interrupt", () => {
  test.each<[string, Call["name"]]>([
    ["/sleep 100000", "status"],
    ["/stream 1000000000", "delta"],
    ["/flood 1000000 10", "delta"],
    ["/flood 1000000000 1000000000", "delta"],
    ["/run echo started; sleep 1000", "open"],
    ["/run yes", "open"],
    ["/permission true", "ask"],
    ["/question", "ask"],
    ["/questions", "ask"],
    ["/plan", "ask"],
  ])("stops %s; what is open is closed and the turn is cancelled", async (script, sign) => {
    const session = await openSession()
    const { recorder, native } = session
    const from = await session.start(`${script}\n/echo never`)
    await recorder.until(sign, undefined, from)
    await native.interrupt()
    // Resolved means idle: the end was told before.
    expect(recorder.of("turnEnded", from)).toHaveLength(1)
    const { end, items, calls } = await session.finish(from)
    expect(end.stop).toBe("cancelled")
    expect(end.error).toBeUndefined()
    const cut = items.filter((item) => item.end?.reason === "cancelled")
    const asks = calls.flatMap((call) => (call.name === "ask" ? [call.args[0].key] : []))
    expect(calls.flatMap((call) => (call.name === "unask" ? [call.args[0]] : []))).toEqual(asks)
    expect(cut.every((item) => item.end?.status === "failed")).toBe(true)
    expect(cut.length).toBe(/stream|flood|run|permission/.test(script) ? 1 : 0)
    expect(textsOf(items)).not.toContain("never")
    expect(textsOf((await session.run("again")).items)).toEqual(["again"])
  })

  test("kills what /run started", async () => {
    const session = await openSession()
    const from = await session.start("/run sleep 1000 & echo $!; wait")
    const [, , output] = await session.recorder.until("delta", (_, part) => part.type === "output", from)
    await session.native.interrupt()
    await untilGone(Number(output))
    const { items } = await session.finish(from)
    const result = { type: "tool_result", output, is_error: true }
    expect(items[1]?.end).toMatchObject({ status: "failed", reason: "cancelled", content: [result] })
  })

  test("without a turn it resolves, and says nothing", async () => {
    const session = await openSession()
    const before = session.recorder.calls.length
    await session.native.interrupt()
    expect(session.recorder.calls.slice(before).map(({ name }) => name)).toEqual(["sent"])
  })

  test("right behind a message it cancels that message's turn", async () => {
    const session = await openSession()
    const from = await session.start("/sleep 100000")
    await session.native.interrupt()
    expect((await session.finish(from)).end.stop).toBe("cancelled")
  })

  test("two at once are both answered", async () => {
    const session = await openSession()
    const from = await session.start("/sleep 100000")
    await Promise.all([session.native.interrupt(), session.native.interrupt()])
    expect(session.recorder.of("turnEnded", from)).toHaveLength(1)
  })

  test("a message that still waits in the agent is returned before the turn ends", async () => {
    const session = await openSession()
    const from = await session.start("/sleep 100000")
    await session.start("I came too early")
    await session.native.interrupt()
    const reported = session.recorder.calls
      .slice(from)
      .filter(({ name }) => name === "returned" || name === "turnEnded")
    expect(reported).toMatchObject([{ name: "returned", args: ["m2"] }, { name: "turnEnded" }])
    expect(session.recorder.of("taken")).toEqual([["m1"]])
  })
})

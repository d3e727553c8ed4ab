import { expect, test } from "vitest"
import { foldItems, textOf, textsOf } from "./items.ts"
import { openSession } from "./session.ts"

test("/background outlives its turn, brings its real result late and starts a turn by itself", async () => {
  const session = await openSession()
  const { recorder } = session
  const from = await session.start("/background 20")
  const [first] = await recorder.until("turnEnded", undefined, from)
  const after = recorder.index(({ name }) => name === "turnEnded", from) + 1
  await recorder.until("turnEnded", undefined, after)
  const inTurn = foldItems(recorder.calls.slice(from, after))
  expect(inTurn.map(({ kind }) => kind)).toEqual(["tool_call", "tool_result"])
  expect(inTurn[1]?.end?.content?.[0]).toMatchObject({ type: "tool_result", detached: true })

  const later = recorder.calls.slice(after)
  expect(later.map(({ name }) => name).filter((name) => name !== "delta")).toEqual([
    ...["open", "close", "background", "turnStarted", "open", "close", "turnEnded"],
  ])
  const [result, text] = foldItems(later)
  const call = inTurn[0]?.end?.content?.[0]
  expect(result).toMatchObject({ kind: "tool_result" })
  expect(result?.key).not.toBe(inTurn[1]?.key)
  expect(result?.end?.content?.[0]).toEqual({
    type: "tool_result",
    call_id: call?.type === "tool_call" ? call.call_id : "",
    output: "Finished after 20 ms.",
  })
  expect(recorder.of("background").map(([count]) => count)).toEqual([1, 0])
  expect(recorder.of("turnStarted", after)[0]?.[0].origin).toBe("agent")
  expect(textOf(text)).toBe("Background work finished after 20 ms.")
  expect(recorder.of("turnEnded", after)[0]?.[0]).toMatchObject({ stop: "end_turn" })
  expect(recorder.of("turnEnded", after)[0]?.[0].native).not.toBe(first.native)
})

test("while a turn runs the result comes at once and the agent's own turn waits", async () => {
  const session = await openSession()
  const { recorder } = session
  const from = await session.start("/background 1\n/question")
  const [ask] = await recorder.until("ask", undefined, from)
  await recorder.until("background", (count) => count === 0, from)
  expect(recorder.of("turnStarted", from)).toHaveLength(1)
  await session.native.answer(ask.key, { kind: "question", answers: [["Red"]] })
  await recorder.until("turnStarted", ({ origin }) => origin === "agent", from)
  const ends = recorder.index(({ name }) => name === "turnEnded", from)
  const agentTurn = recorder.index((call) => call.name === "turnStarted" && call.args[0].origin === "agent", from)
  expect(agentTurn).toBeGreaterThan(ends)
  expect(ends).toBeGreaterThan(0)
})

test("an interrupt leaves it alone, stopBackground ends it without a turn", async () => {
  const session = await openSession()
  const { recorder, native } = session
  const from = await session.start("/background 100000\n/background 100000\n/sleep 100000")
  await recorder.until("status", undefined, from)
  await native.interrupt()
  expect(recorder.of("background").map(([count]) => count)).toEqual([1, 2])
  const stopped = recorder.calls.length
  await native.stopBackground?.()
  expect(recorder.of("background", stopped).map(([count]) => count)).toEqual([1, 0])
  const results = foldItems(recorder.calls.slice(stopped))
  expect(results.map(({ end }) => end?.status)).toEqual(["failed", "failed"])
  const { items, calls } = await session.run("next")
  expect(textsOf(items)).toEqual(["next"])
  expect(calls.filter(({ name }) => name === "turnStarted")).toHaveLength(1)
})

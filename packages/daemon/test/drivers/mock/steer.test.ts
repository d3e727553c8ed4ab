import { expect, test } from "vitest"
import { textsOf } from "./items.ts"
import { openSession, type TestSession } from "./session.ts"

const steer = (session: TestSession, text: string) => session.native.steer?.(session.message(text))

test("a steered message is taken at the next step and its script runs last", async () => {
  const session = await openSession()
  const { recorder } = session
  const from = await session.start("/question\n/echo second")
  const [ask] = await recorder.until("ask", undefined, from)
  expect(await steer(session, "steered\n/title By the way")).toBe(true)
  expect(recorder.of("taken")).toEqual([["m1"]])
  await session.native.answer(ask.key, { kind: "question", answers: [["Blue"]] })
  const { items, calls, end } = await session.finish(from)
  expect(textsOf(items)).toEqual(["You chose: Blue", "second", "steered"])
  expect(calls).toContainEqual({ name: "session", args: [{ title: "By the way" }] })
  const taken = calls.findIndex((call) => call.name === "taken" && call.args[0] === "m2")
  const second = calls.findIndex((call) => call.name === "close" && call.args[0] === items[1]?.key)
  expect(taken).toBeGreaterThan(0)
  expect(taken).toBeLessThan(second)
  expect(end.stop).toBe("end_turn")
  expect(recorder.of("turnStarted")).toHaveLength(1)
})

test.each(["/stream 1000000000", "/flood 1000000 100"])("%s takes it while it goes on", async (script) => {
  const session = await openSession()
  const { recorder } = session
  const from = await session.start(script)
  await recorder.until("delta", undefined, from)
  expect(await steer(session, "in between")).toBe(true)
  await recorder.until("taken", (id) => id === "m2", from)
  expect(recorder.of("close", from)).toEqual([])
  await session.native.interrupt()
  expect(recorder.of("returned")).toEqual([])
})

test("a sleep takes it when it ends", async () => {
  const session = await openSession()
  // Right behind the message: it is there before the sleep is over, however slow the machine is.
  const [from, taken] = await Promise.all([session.start("/sleep 200"), steer(session, "good morning")])
  expect(taken).toBe(true)
  const { calls, items } = await session.finish(from)
  expect(textsOf(items)).toEqual(["good morning"])
  const reported = calls.map((call) => (call.name === "taken" ? call.args[0] : call.name))
  expect(reported.filter((one) => ["status", "m1", "m2"].includes(one))).toEqual(["m1", "status", "m2"])
})

test("without a turn there is nothing to steer", async () => {
  const session = await openSession()
  expect(await steer(session, "hello?")).toBe(false)
  await session.run("a turn")
  expect(await steer(session, "hello?")).toBe(false)
  expect(session.recorder.of("taken")).toEqual([["m2"]])
})

test("an interrupt returns what was steered and not yet taken", async () => {
  const session = await openSession()
  const from = await session.start("/question")
  await session.recorder.until("ask", undefined, from)
  expect(await steer(session, "one")).toBe(true)
  expect(await steer(session, "two")).toBe(true)
  await session.native.interrupt()
  expect(session.recorder.of("returned")).toEqual([["m2"], ["m3"]])
  const names = session.recorder.calls.slice(from).map(({ name }) => name)
  expect(names.lastIndexOf("returned")).toBeLessThan(names.indexOf("turnEnded"))
})

test("attachments and durability hold for a steered message too", async () => {
  const session = await openSession()
  const from = await session.start("/question")
  const [ask] = await session.recorder.until("ask", undefined, from)
  await session.native.steer?.(session.message("with it", [{ bytes: new Uint8Array(3), filename: "x.bin" }]))
  await session.native.answer(ask.key, { kind: "question", answers: [["Red"]] })
  const { items } = await session.finish(from)
  expect(textsOf(items).slice(1)).toEqual(["Attachment x.bin (3 bytes)", "with it"])
})

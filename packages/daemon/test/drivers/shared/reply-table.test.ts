import { expect, test } from "vitest"
import { counter, type Outcome, ReplyTable } from "../../../src/drivers/shared/reply-table.ts"

const sent = async (): Promise<void> => {}
const table = () => new ReplyTable<number, string, string>(counter(0))

test("an answer finds its request, once", async () => {
  const replies = table()
  const first = replies.ask(sent, "a").reply
  const second = replies.ask(sent, "b").reply
  expect([replies.ownerOf(0), replies.ownerOf(1), replies.ownerOf(2)]).toEqual(["a", "b", undefined])
  expect(replies.settle(1, { error: new Error("refused") })).toBe(true)
  expect(replies.settle(0, { result: "yes" })).toBe(true)
  expect([replies.settle(0, { result: "again" }), replies.has(0)]).toEqual([false, false])
  expect(await first).toBe("yes")
  await expect(second).rejects.toThrow("refused")
})

test("the answer is told while its line is read, and whoever waits goes on also when that fails", async () => {
  const replies = table()
  const reported: Outcome<string>[] = []
  const { reply } = replies.ask(sent, "a", (outcome) => {
    reported.push(outcome)
    throw new Error("cannot be read")
  })
  expect(() => replies.settle(0, { result: "yes" })).toThrow("cannot be read")
  expect(reported).toEqual([{ result: "yes" }])
  expect(await reply).toBe("yes")
})

test("what waits when the process is lost is settled, and what comes later is never sent", async () => {
  const replies = table()
  const waiting = replies.ask(sent, "a").reply
  replies.close(new Error("gone"))
  const late = replies.ask(() => Promise.reject(new Error("sent all the same")), "a")
  for (const promise of [waiting, late.reply, late.written]) await expect(promise).rejects.toThrow("gone")
  // Nobody waits for any of it: that is no unhandled rejection.
  replies.ask(sent, "a")
})

test("one that could not be sent is not waited for", async () => {
  const replies = table()
  const { written, reply } = replies.ask(() => Promise.reject(new Error("broken pipe")), "a")
  for (const promise of [written, reply]) await expect(promise).rejects.toThrow("broken pipe")
  expect(replies.has(0)).toBe(false)
})

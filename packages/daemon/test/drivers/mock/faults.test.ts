import { describe, expect, test } from "vitest"
import { foldItems, textOf, textsOf } from "./items.ts"
import { isRunning, untilGone } from "./processes.ts"
import { openSession } from "./session.ts"

test("/error ends the turn with that message; the next turn is fine", async () => {
  const session = await openSession()
  const { end, calls, items } = await session.run("/error something broke\n/echo never")
  expect(end).toMatchObject({ stop: "error", error: { code: "mock_error", message: "something broke" } })
  expect(calls).toContainEqual({ name: "error", args: [{ code: "mock_error", message: "something broke" }] })
  expect(items).toEqual([])
  expect(textsOf((await session.run("again")).items)).toEqual(["again"])
})

test("/garbage is a line that does not parse, and the turn goes on", async () => {
  const { calls, items, end } = await (await openSession()).run("/garbage\n/echo on")
  const bad = calls.filter(({ name }) => name === "unparsed")
  expect(bad).toHaveLength(1)
  expect(() => JSON.parse(String(bad[0]?.args[0]))).toThrow()
  expect(textsOf(items)).toEqual(["on"])
  expect(end.stop).toBe("end_turn")
})

test("/unknown is valid JSON that the driver leaves to the core", async () => {
  const { calls, items, end } = await (await openSession()).run("/unknown\n/echo on")
  const unknown = calls.filter(({ name }) => name === "unknown")
  expect(unknown).toHaveLength(1)
  expect(JSON.parse(String(unknown[0]?.args[0]))).toMatchObject({ type: "novelty" })
  expect(calls.some(({ name }) => name === "unparsed")).toBe(false)
  expect(textsOf(items)).toEqual(["on"])
  expect(end.stop).toBe("end_turn")
})

describe("/crash", () => {
  test.each([0, 1, 42, 255])("exits with code %i in the middle of a text, with words on stderr", async (code) => {
    const { native, recorder, start } = await withStart()
    const from = await start(`/crash ${code}`)
    const [exit] = await recorder.until("gone")
    expect(exit.code).toBe(code)
    expect(exit.stderr?.head?.split("\n").length).toBeGreaterThanOrEqual(4)
    expect(exit.stderr?.head).toContain("a scripted crash")
    const [item] = foldItems(recorder.calls.slice(from))
    expect(item?.end).toBeUndefined()
    expect(textOf(item)).toBe("About to ")
    expect(recorder.of("turnEnded")).toEqual([])
    const lost = { code: "agent_process_exited" }
    await expect(native.send({ id: "m2", text: "hello?", attachments: [] })).rejects.toMatchObject(lost)
    await expect(native.interrupt()).rejects.toMatchObject(lost)
  })

  async function withStart() {
    const session = await openSession()
    const { native, recorder } = session
    return { native, recorder, start: (text: string) => session.start(text) }
  }

  test("what waited for an answer of the agent is told", async () => {
    const session = await openSession()
    await session.start("/sleep 100000")
    await session.recorder.until("status")
    await session.native.kill()
    const [exit] = await session.recorder.until("gone")
    expect(exit.signal).toBe("SIGKILL")
    await expect(session.native.steer?.(session.message("hi"))).rejects.toMatchObject({ code: "agent_process_exited" })
  })
})

test("/exit ends the turn, then the conversation, then the process", async () => {
  const session = await openSession()
  const { end, items } = await session.run("bye\n/exit\n/echo never")
  expect(end.stop).toBe("end_turn")
  expect(textsOf(items)).toEqual(["bye"])
  const [exit] = await session.recorder.until("gone")
  expect(exit.code).toBe(0)
  const reported = session.recorder.calls.slice(-3).map(({ name }) => name)
  expect(reported).toEqual(["turnEnded", "ended", "gone"])
})

test("/exit returns the messages it will never take", async () => {
  const session = await openSession()
  const from = await session.start("/question\n/exit")
  const [ask] = await session.recorder.until("ask", undefined, from)
  await session.start("too late")
  await session.native.answer(ask.key, { kind: "question", answers: [["Red"]] })
  await session.recorder.until("gone")
  expect(session.recorder.of("returned")).toEqual([["m2"]])
})

test("/hang ignores interrupt, SIGTERM and the end of its input, but not SIGKILL", async () => {
  const session = await openSession()
  const from = await session.start("/hang")
  await session.recorder.until("close", (_, end) => end.status === "completed", from)
  let interrupted = false
  const interrupt = session.native.interrupt().then(
    () => {
      interrupted = true
    },
    () => undefined,
  )
  // A later question is answered, so the interrupt before it was read and ignored.
  await session.native.configure?.({ permissionMode: "bypass" })
  expect(interrupted).toBe(false)
  // Polite end of input, then SIGTERM: had it heeded either it would not need the SIGKILL.
  await session.native.close()
  await interrupt
  const [exit] = await session.recorder.until("gone")
  expect(exit.signal).toBe("SIGKILL")
  expect(session.recorder.of("turnEnded")).toEqual([])
})

test("/grandchild leaves a process that the supervisor still finds", async () => {
  const session = await openSession()
  const { items } = await session.run("/grandchild")
  const pid = Number(/^grandchild pid (\d+)$/.exec(textsOf(items)[0] ?? "")?.[1])
  expect(isRunning(pid)).toBe(true)
  await session.native.close()
  await untilGone(pid)
})

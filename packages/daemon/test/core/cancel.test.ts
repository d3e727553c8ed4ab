import { expect, test } from "vitest"
import { cancelTurn } from "../../src/core/cancel.ts"
import { closeProcess } from "../../src/core/process.ts"
import { checkLog } from "./checks.ts"
import { type Stage, setStage } from "./stage.ts"

const calls = (stage: Stage) => stage.puppet.asked.map(({ call }) => call)
const states = (stage: Stage, id: string) =>
  stage.of("message.updated").flatMap(({ data }) => (data.message_id === id ? data.state : []))
const good = (stage: Stage) => expect([checkLog(stage.events(), { open: true }), stage.faults]).toEqual([[], {}])

/** Its agent does not open before it is told to. */
async function opening(stage: Stage) {
  await closeProcess(stage.session)
  const before = stage.puppet.openings.length
  const opened = Promise.withResolvers<void>()
  stage.puppet.behaviour.open = () => opened.promise
  const posted = await stage.post("cancelled")
  await stage.puppet.opened(before + 1)
  return { posted, open: opened.resolve }
}

test("a turn that is cancelled while its agent opens ends at once, and the agent gets the next message alone", async () => {
  await using stage = await setStage({ deadlines: { interruptMs: 600_000 } })
  const { posted, open } = await opening(stage)
  expect(await cancelTurn(stage.session, {})).toEqual({ ended: true, turnId: posted.turnId, withdrawn: [] })
  expect(states(stage, posted.messageId)).toEqual(["queued", "withdrawn"])
  expect(stage.of("turn.ended").map(({ data }) => [data.stop_reason, data.forced])).toEqual([["cancelled", undefined]])
  const next = await stage.post("next")
  open()
  const sent = await stage.puppet.until("send")
  expect([sent, stage.puppet.openings.length]).toMatchObject([{ message: { id: next.messageId } }, 2])
  expect(calls(stage)).toEqual(["close", "send"])
  good(stage)
})

test("one that asks while it opens is given up with its turn: nobody will answer it", async () => {
  await using stage = await setStage({ deadlines: { interruptMs: 600_000 } })
  const { posted } = await opening(stage)
  stage.say(() => stage.sink.ask({ key: "q", type: "question", questions: [] }))
  await cancelTurn(stage.session, {})
  expect([states(stage, posted.messageId), stage.session.process]).toEqual([["queued", "withdrawn"], "none"])
  stage.puppet.behaviour.open = async () => undefined
  await stage.running("next")
  good(stage)
})

test("a message that is cancelled on its way to an open agent reaches nobody, nor does an interrupt", async () => {
  await using stage = await setStage({ deadlines: { interruptMs: 600_000 } })
  const posted = stage.post("cancelled")
  await cancelTurn(stage.session, {})
  const { messageId } = await posted
  expect([states(stage, messageId), calls(stage)]).toEqual([["queued", "withdrawn"], []])
  await stage.running("next")
  expect(calls(stage)).toEqual(["send"])
  good(stage)
})

test("what an agent does of its own while a message is on its way is interrupted, and the message is not sent", async () => {
  await using stage = await setStage({ deadlines: { interruptMs: 600_000 } })
  stage.puppet.behaviour.interrupt = async ({ sink }) => sink.line("{}", () => sink.turnEnded({ stop: "cancelled" }))
  const posted = stage.post("cancelled")
  stage.say(() => stage.sink.turnStarted({ origin: "agent" }))
  await cancelTurn(stage.session, {})
  const { messageId } = await posted
  expect([states(stage, messageId), calls(stage)]).toEqual([["queued", "withdrawn"], ["interrupt"]])
  expect(stage.session.status).toBe("idle")
  good(stage)
})

test("a message for a turn that is cancelled before it gets there is given its own", async () => {
  await using stage = await setStage({ deadlines: { interruptMs: 600_000 } })
  await stage.running()
  const { session } = stage
  const steered = stage.post("also", { delivery: "steer" })
  await stage.until("message.updated", () => session.sending !== undefined)
  const cancelled = cancelTurn(session, {})
  await stage.puppet.until("interrupt")
  stage.say(() => stage.sink.turnEnded({ stop: "cancelled" }))
  await cancelled
  const { messageId } = await steered
  expect(await stage.puppet.until("send", 2)).toMatchObject({ message: { id: messageId } })
  expect(calls(stage)).toEqual(["send", "interrupt", "send"])
  good(stage)
})

test("work in the background that cannot be stopped keeps the turn from nothing", async () => {
  await using stage = await setStage({ deadlines: { interruptMs: 600_000 } })
  await stage.running()
  stage.say(() => stage.sink.background(1))
  const { session, puppet } = stage
  Object.assign(session.native ?? {}, { stopBackground: () => Promise.reject(new Error("it has ended")) })
  puppet.behaviour.interrupt = async ({ sink }) => sink.line("{}", () => sink.turnEnded({ stop: "cancelled" }))
  expect(await cancelTurn(session, { background: true })).toMatchObject({ ended: true })
  expect(stage.of("turn.ended").map(({ data }) => data.stop_reason)).toEqual(["cancelled"])
  // Where that alone was asked for, it was not done.
  await expect(cancelTurn(session, { background: true })).rejects.toThrow("it has ended")
})

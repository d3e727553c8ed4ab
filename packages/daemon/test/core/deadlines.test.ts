import { SandboxAgentError } from "@sandbox-agent/schema/error"
import type { Permission } from "@sandbox-agent/schema/request"
import { expect, test } from "vitest"
import { cancelTurn } from "../../src/core/cancel.ts"
import { replyPermission } from "../../src/core/replies.ts"
import { pendingOf } from "../../src/core/requests.ts"
import { patchSession } from "../../src/core/settings.ts"
import { checkLog } from "./checks.ts"
import type { Opening } from "./puppet.ts"
import { type Stage, setStage } from "./stage.ts"

const never = () => new Promise<never>(() => {})
/** Only of what never comes in that test: whatever is to succeed must have all the time of a machine that stalls. */
const soon = 20
const good = (stage: Stage) => expect(checkLog(stage.events())).toEqual([])

test("a message that is never taken fails after takenMs, its turn ends, and the next one goes", async () => {
  await using stage = await setStage({ deadlines: { takenMs: soon } })
  const { messageId } = await stage.post("one")
  await stage.post("two")
  await stage.puppet.until("send", 2)
  const [failed] = stage.of("message.updated").filter(({ data }) => data.state === "failed")
  expect(failed?.data).toMatchObject({ message_id: messageId, error: { code: "timeout" } })
  expect(stage.of("turn.ended")[0]?.data).toMatchObject({ stop_reason: "error", error: { code: "timeout" } })
  await stage.until("turn.ended", () => stage.of("turn.ended").length === 2)
  good(stage)
})

test("a send that never returns is the same", async () => {
  await using stage = await setStage({ behaviour: { send: never }, deadlines: { takenMs: soon } })
  await stage.post("one")
  const ended = await stage.until("turn.ended")
  expect(ended.data.error?.code).toBe("timeout")
  good(stage)
})

/** The new agent takes it, and is done with it. */
function finish(stage: Stage, messageId: string): void {
  stage.say(() => stage.sink.taken(messageId))
  stage.say(() => stage.sink.turnEnded({ stop: "end_turn" }))
  good(stage)
}

/** Only the first process of a session. */
const first =
  (send: () => Promise<void>) =>
  (_: unknown, { options }: Opening) =>
    options.from.kind === "new" ? send() : Promise.resolve()

test("an agent that took nothing in all its time is ended: the next message goes to a new one", async () => {
  await using stage = await setStage({ behaviour: { send: first(never) } })
  stage.wait({ takenMs: soon })
  await stage.post("one")
  await stage.until("turn.ended")
  expect(stage.puppet.asked.map(({ call }) => call)).toEqual(["send", "kill"])
  stage.wait({ takenMs: 60_000 })
  const { messageId } = await stage.post("two")
  await stage.puppet.until("send", 2)
  expect(stage.puppet.openings).toHaveLength(2)
  finish(stage, messageId)
})

const exited = () => Promise.reject(new SandboxAgentError("agent_process_exited", "it is gone"))

test("an agent that is dead before that is told: nothing more is sent to it, and the next message goes to a new one", async () => {
  await using stage = await setStage({ behaviour: { send: first(exited) } })
  const { messageId } = await stage.post("one")
  const next = await stage.post("two")
  await stage.puppet.until("send")
  await Bun.sleep(soon)
  expect(stage.of("turn.ended")).toEqual([])
  stage.sink.gone({ signal: "SIGKILL", message: "puppet was ended by SIGKILL" })
  await stage.puppet.until("send", 2)
  expect(stage.of("turn.ended")[0]?.data).toMatchObject({ error: { code: "agent_process_exited", signal: "SIGKILL" } })
  const [failed] = stage.of("message.updated").filter(({ data }) => data.state === "failed")
  expect(failed?.data.message_id).toBe(messageId)
  expect(stage.puppet.openings.map(({ asked }) => asked.length)).toEqual([1, 1])
  finish(stage, next.messageId)
})

test("one of which no end is told, too", async () => {
  await using stage = await setStage({ behaviour: { send: first(exited) }, deadlines: { closeMs: soon } })
  await stage.post("one")
  const next = await stage.post("two")
  await stage.puppet.until("send", 2)
  expect(stage.of("turn.ended")[0]?.data).toMatchObject({ error: { code: "agent_process_exited" } })
  expect(stage.puppet.openings.map(({ asked }) => asked.map(({ call }) => call))).toEqual([["send", "kill"], ["send"]])
  finish(stage, next.messageId)
})

test("a send that is refused fails the message with the agent's reason", async () => {
  await using stage = await setStage({ behaviour: { send: () => Promise.reject(new Error("too long")) } })
  await stage.post("one")
  const ended = await stage.until("turn.ended")
  expect(ended.data).toMatchObject({ stop_reason: "error", error: { code: "internal", message: "too long" } })
  good(stage)
})

test("a steered message that is not taken after its turn has ended fails; not before", async () => {
  await using stage = await setStage()
  await stage.running()
  stage.wait({ takenMs: soon })
  const { messageId } = await stage.post("also", { delivery: "steer" })
  await stage.puppet.until("steer")
  await Bun.sleep(2 * soon)
  // A command may run for long before the agent looks at its queue.
  expect(stage.session.sending?.id).toBe(messageId)
  stage.say(() => stage.sink.turnEnded({ stop: "end_turn" }))
  const failed = await stage.until("message.updated", ({ data }) => data.state === "failed")
  expect([failed.data.message_id, failed.data.error?.code]).toEqual([messageId, "timeout"])
  expect(stage.session.status).toBe("idle")
})

const stubborn: [string, () => Promise<void>][] = [
  ["never answers", never],
  ["fails", () => Promise.reject(new Error("cannot"))],
  ["says it is idle but ends no turn", async () => undefined],
]

test.each(stubborn)("an interrupt that %s is forced: the process is killed, the turn ends", async (_, interrupt) => {
  await using stage = await setStage({ behaviour: { interrupt }, deadlines: { interruptMs: soon } })
  await stage.running()
  const { turnId } = await cancelTurn(stage.session, {})
  const ended = await stage.until("turn.ended")
  expect(ended.data).toMatchObject({ turn_id: turnId, stop_reason: "cancelled", forced: true })
  expect(stage.puppet.asked.some(({ call }) => call === "kill")).toBe(true)
  expect([stage.session.process, stage.session.status]).toEqual(["none", "idle"])
  await stage.running("the next one goes on")
  expect(stage.puppet.opening.options.from.kind).toBe("resume")
})

test("a cancel that the agent confirms is not forced, and asks once however many ask", async () => {
  await using stage = await setStage()
  await stage.running()
  const cancels = [cancelTurn(stage.session, {}), cancelTurn(stage.session, {})]
  await stage.puppet.until("interrupt")
  stage.say(() => stage.sink.turnEnded({ stop: "cancelled" }))
  expect(await Promise.all(cancels)).toMatchObject([{ ended: true }, { ended: true }])
  expect(stage.puppet.asked.filter(({ call }) => call === "interrupt")).toHaveLength(1)
  expect(stage.of("turn.ended")[0]?.data.forced).toBeUndefined()
})

test("a turn that ends by itself before the interrupt goes out is not interrupted, nor is the next", async () => {
  await using stage = await setStage()
  await stage.running()
  const cancelled = cancelTurn(stage.session, {})
  stage.say(() => stage.sink.turnEnded({ stop: "end_turn" }))
  expect(await cancelled).toMatchObject({ ended: true })
  await stage.running()
  expect(stage.puppet.asked.some(({ call }) => call === "interrupt")).toBe(false)
})

test("cancel before the agent is open takes the message back unsent", async () => {
  const opened = Promise.withResolvers<void>()
  let first = true
  const open = () => (first ? Promise.resolve() : opened.promise)
  await using stage = await setStage({ behaviour: { open } })
  first = false
  stage.sink.gone({ code: 0 })
  await stage.post("hi")
  await stage.until("turn.started")
  const cancelled = cancelTurn(stage.session, {})
  opened.resolve()
  await cancelled
  expect(stage.of("message.updated").at(-1)?.data.state).toBe("withdrawn")
  expect(stage.puppet.asked.some(({ call }) => call === "send")).toBe(false)
  good(stage)
})

test("a change the agent never answers is refused after configureMs", async () => {
  await using stage = await setStage({ behaviour: { configure: never }, deadlines: { configureMs: soon } })
  await expect(patchSession(stage.session, { model: "big" })).rejects.toMatchObject({ code: "timeout" })
  expect(stage.session.record.model).toBeUndefined()
})

test("an answer the agent never takes stays answered, and the client is told after answerMs", async () => {
  await using stage = await setStage({ behaviour: { answer: never }, deadlines: { answerMs: soon } })
  await stage.running()
  stage.say(() =>
    stage.sink.ask({ key: "p", type: "permission", kind: "command", action: "Run it", covers: [], always: [] }),
  )
  const { permission_id } = pendingOf(stage.session).permissions[0] as Permission
  const reported = { code: "timeout", detail: expect.stringContaining("did not take the answer") }
  await expect(replyPermission(stage.session, permission_id, "once")).rejects.toMatchObject(reported)
  expect(stage.of("error").map(({ data }) => data.code)).toEqual(["timeout"])
  expect(stage.of("permission.resolved").map(({ data }) => data.status)).toEqual(["accept"])
  await expect(replyPermission(stage.session, permission_id, "reject")).rejects.toMatchObject({ code: "conflict" })
})

test("one whose connection breaks before the agent's end is told waits for that, and no longer than answerMs", async () => {
  const broken = () => Promise.reject(new SandboxAgentError("agent_process_exited", "the connection was reset"))
  await using stage = await setStage({ behaviour: { answer: broken }, deadlines: { answerMs: soon } })
  await stage.running()
  const reply = (key: string) => {
    stage.say(() => stage.sink.ask({ key, type: "permission", kind: "command", action: "Run", covers: [], always: [] }))
    const { permission_id } = pendingOf(stage.session).permissions[0] as Permission
    return replyPermission(stage.session, permission_id, "once")
  }
  await expect(reply("p")).rejects.toMatchObject({ code: "agent_process_exited" })
  stage.wait({ answerMs: 600_000 })
  stage.puppet.behaviour.answer = () => {
    setImmediate(() => stage.sink.gone({ code: 1 }))
    return broken()
  }
  await expect(reply("q")).resolves.toMatchObject({ status: "accept" })
})

test("one that the agent refuses is no success either; one that finds a dead agent is told by the end of the turn", async () => {
  await using stage = await setStage({ behaviour: { answer: () => Promise.reject(new Error("what?")) } })
  await stage.running()
  const ask = (key: string) =>
    stage.say(() => stage.sink.ask({ key, type: "permission", kind: "command", action: "Run", covers: [], always: [] }))
  ask("p")
  const first = pendingOf(stage.session).permissions[0] as Permission
  const refused = { code: "unavailable", detail: expect.stringContaining("what?") }
  await expect(replyPermission(stage.session, first.permission_id, "once")).rejects.toMatchObject(refused)
  stage.puppet.behaviour.answer = async () => {
    stage.sink.gone({ code: 1 })
    throw new Error("the pipe is closed")
  }
  ask("q")
  const second = pendingOf(stage.session).permissions[0] as Permission
  await expect(replyPermission(stage.session, second.permission_id, "once")).resolves.toMatchObject({
    status: "accept",
  })
  expect(stage.of("turn.ended").at(-1)?.data.error?.code).toBe("agent_process_exited")
  good(stage)
})

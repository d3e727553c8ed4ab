import { expect, test } from "vitest"
import { resumeSession } from "../../src/core/creation.ts"
import { MemoryGone, type OutMessage } from "../../src/core/driver.ts"
import { terminateSession } from "../../src/core/ending.ts"
import { forkSession } from "../../src/core/fork.ts"
import { briefFor } from "../../src/core/past.ts"
import { closeProcess } from "../../src/core/process.ts"
import { replyPermission } from "../../src/core/replies.ts"
import { checkLog } from "./checks.ts"
import { forgetful, kinds, lastSent, rebuilt, turn } from "./conversation.ts"
import type { Opening } from "./puppet.ts"
import { setStage } from "./stage.ts"

test("what the agent has forgotten it is told with the next message, once, and nobody sees it as a message", async () => {
  await using stage = await setStage({ behaviour: forgetful() })
  await turn(stage, "my name is Ann", "hello Ann")
  await closeProcess(stage.session)
  const sent = await turn(stage, "what is my name", "Ann")
  expect(kinds(stage)).toEqual(["new", "resume", "new"])
  expect(sent.text).toBe("what is my name")
  expect(sent.brief).toContain("my name is Ann")
  expect(sent.brief).toContain("hello Ann")
  expect(sent.brief).not.toContain("what is my name")
  const native_session_id = stage.session.record.native.id
  expect(rebuilt(stage)).toEqual([{ native_session_id, context: "rebuilt", reason: "no such conversation" }])
  expect((await turn(stage, "and now", "still Ann")).brief).toBeUndefined()
  const users = stage.of("item.completed").filter(({ data }) => data.item.role === "user")
  expect(users.map(({ data }) => data.item.content)).toEqual(
    ["my name is Ann", "what is my name", "and now"].map((text) => [{ type: "text", text }]),
  )
  expect(checkLog(stage.events())).toEqual([])
})

test("an agent that finds out only with a message that it has forgotten gets that message again, with the brief", async () => {
  const send = async (message: OutMessage, { options }: Opening) => {
    if (options.from.kind === "resume") throw new MemoryGone("thread not found")
    if (message.text === "broken") throw new MemoryGone("of a session it has just begun")
  }
  await using stage = await setStage({ behaviour: { send } })
  await turn(stage, "one", "1")
  await closeProcess(stage.session)
  const { messageId } = await stage.post("two")
  const sent = await stage.puppet.until("send", 3)
  expect(sent).toMatchObject({ message: { id: messageId, text: "two" } })
  expect(sent.call === "send" && sent.message.brief).toContain("one")
  stage.say(() => stage.sink.taken(messageId))
  stage.say(() => stage.sink.turnEnded({ stop: "end_turn" }))
  expect(rebuilt(stage).map(({ reason }) => reason)).toEqual(["thread not found"])
  const states = stage.of("message.updated").filter(({ data }) => data.message_id === messageId)
  expect(states.map(({ data }) => data.state)).toEqual(["queued", "queued", "taken"])
  // Removed while it was open; one that has just begun has nothing to forget: then it is an error like any other.
  await stage.post("broken")
  await stage.until("message.updated", ({ data }) => data.state === "failed")
  expect(rebuilt(stage)).toHaveLength(2)
  expect(checkLog(stage.events())).toEqual([])
})

test("any other failure is no loss of memory: the session stays as it was", async () => {
  let broken = false
  const open = async () => {
    if (broken) throw new Error("no key")
  }
  await using stage = await setStage({ behaviour: { open } })
  await turn(stage, "one", "1")
  await closeProcess(stage.session)
  broken = true
  await stage.post("two")
  await stage.until("turn.ended", ({ data }) => data.stop_reason === "error")
  broken = false
  expect((await turn(stage, "three", "3")).brief).toBeUndefined()
  expect([kinds(stage), rebuilt(stage)]).toEqual([["new", "resume", "resume"], []])
})

test("a kill before the first message, in its turn or a turn that fails: the brief comes again until one ends well", async () => {
  let forgets = true
  await using stage = await setStage({ behaviour: forgetful(() => forgets) })
  await turn(stage, "one", "1")
  await terminateSession(stage.session)
  await resumeSession(stage.session)
  expect(rebuilt(stage)).toHaveLength(1)
  forgets = false
  // It is found again, empty: nobody has spoken to it yet.
  stage.sink.gone({ code: 1 })
  await stage.running("two")
  expect(lastSent(stage).brief).toContain("one")
  stage.sink.gone({ code: 1 })
  await stage.running("three")
  expect(lastSent(stage).brief).toContain("two")
  stage.say(() => stage.sink.turnEnded({ stop: "error", error: { code: "x", message: "y" } }))
  expect((await turn(stage, "four", "4")).brief).toContain("three")
  expect((await turn(stage, "five", "5")).brief).toBeUndefined()
  expect(rebuilt(stage)).toHaveLength(1)
  expect(checkLog(stage.events())).toEqual([])
})

test("what was never on disk is told again, however often it is lost", async () => {
  await using stage = await setStage({ behaviour: { durable: false } })
  await turn(stage, "one", "1")
  for (const [n, word] of ["two", "three"].entries()) {
    stage.sink.gone({ signal: "SIGKILL" })
    const { brief } = await turn(stage, word, word)
    expect(brief).toContain("one")
    expect(rebuilt(stage)).toHaveLength(n + 1)
  }
  expect(kinds(stage)).toEqual(["new", "new", "new"])
  expect(rebuilt(stage)[0]?.reason).toBe("puppet had not kept the conversation yet")
})

test("a command that goes alone leaves the brief to the next message", async () => {
  await using stage = await setStage({ behaviour: forgetful() })
  await turn(stage, "one", "1")
  await closeProcess(stage.session)
  const id = await stage.post("/compact")
  await stage.puppet.until("send", 2)
  stage.session.briefedBy = undefined // as a driver that did not pass it on
  stage.say(() => stage.sink.taken(id.messageId))
  stage.say(() => stage.sink.turnEnded({ stop: "end_turn" }))
  expect((await turn(stage, "two", "2")).brief).toContain("one")
})

test("an agent that cannot resume goes on after its death, and is not stopped while it alone remembers", async () => {
  const idleStopMs = 60_000
  await using stage = await setStage({ behaviour: { durable: false, capabilities: { resume: false } }, idleStopMs })
  const lookLater = () => {
    stage.session.idleSince = performance.now() - idleStopMs - 1
    stage.core.tidy()
    return stage.session.process
  }
  expect(lookLater()).toBe("none") // nothing was said
  await turn(stage, "one", "1")
  expect(lookLater()).toBe("live")
  stage.sink.gone({ code: 1 })
  expect(stage.session.status).toBe("idle")
  expect((await turn(stage, "two", "2")).brief).toContain("one")
  await terminateSession(stage.session)
  expect((await resumeSession(stage.session)).healthy).toBe(true)
  expect((await turn(stage, "three", "3")).brief).toContain("two")
  expect(rebuilt(stage).map(({ reason }) => reason)).toEqual(Array(2).fill("puppet cannot resume a session"))
})

test("plan and decisions are in the brief, also in that of a fork whose parent is gone", async () => {
  await using stage = await setStage({ behaviour: forgetful(), create: { systemPrompt: "Speak plainly." } })
  await stage.running("tidy up")
  stage.say(() => {
    stage.sink.plan([{ content: "remove the build", status: "in_progress" }])
    const detail = { command: "rm -r build" }
    stage.sink.ask({ key: "p", type: "permission", kind: "command", action: "Bash", detail, covers: [], always: [] })
  })
  const [permission] = [...stage.session.requests.keys()]
  await replyPermission(stage.session, permission ?? "", "reject", "keep it")
  stage.say(() => stage.sink.turnEnded({ stop: "end_turn" }))
  const { session: fork } = await forkSession(stage.core.sessions, stage.session, { id: "fork" })
  await stage.core.sessions.delete(stage.session)
  expect(rebuilt(stage, fork)).toMatchObject([{ reason: "no such conversation" }])
  const brief = briefFor(fork)
  for (const words of ["Speak plainly.", "[in_progress] remove the build", "Refused: Bash: rm -r build (keep it)"])
    expect(brief).toContain(words)
})

test("a fork that is briefed waits for no one: at any finished turn, also of an agent that cannot fork", async () => {
  await using stage = await setStage({ behaviour: { capabilities: { fork: false } } })
  await turn(stage, "one", "1")
  const at = stage.session.sequence
  await turn(stage, "two", "2")
  await stage.running("three")
  const { sessions } = stage.core
  await expect(forkSession(sessions, stage.session, { id: "own" })).rejects.toMatchObject({ code: "not_supported" })
  const given = { id: "child", agent: "puppet", atSequence: at, permissionMode: "plan" as const, title: "Other" }
  const forked = await forkSession(sessions, stage.session, given)
  expect(forked).toMatchObject({ healthy: true, forkedAtSequence: at })
  expect(forked.session.record).toMatchObject({ permissionMode: "plan", title: "Other", briefDue: true })
  expect(rebuilt(stage, forked.session)).toMatchObject([{ reason: "forked from session one of agent puppet" }])
  const brief = briefFor(forked.session)
  expect([brief.includes("one"), brief.includes("two")]).toEqual([true, false])
  // A fork of a fork to which nobody has spoken.
  const again = await forkSession(sessions, forked.session, { id: "grandchild", agent: "puppet" })
  expect(briefFor(again.session)).toContain("one")
})

test("a fork at a turn from before the context was rebuilt is briefed, not cut out of another conversation", async () => {
  let forgets = true
  await using stage = await setStage({ behaviour: forgetful(() => forgets) })
  Object.assign(stage.puppet, { forksAt: "turn" })
  await turn(stage, "one", "1")
  const at = stage.session.sequence
  await closeProcess(stage.session)
  await turn(stage, "two", "2")
  forgets = false
  const { session: early } = await forkSession(stage.core.sessions, stage.session, { id: "early", atSequence: at })
  const { session: late } = await forkSession(stage.core.sessions, stage.session, { id: "late" })
  expect(kinds(stage).slice(-2)).toEqual(["new", "fork"])
  expect([rebuilt(stage, early).length, rebuilt(stage, late).length]).toEqual([1, 0])
})

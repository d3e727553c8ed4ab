import type { Permission } from "@sandbox-agent/schema/request"
import { expect, test } from "vitest"
import { cancelTurn } from "../../src/core/cancel.ts"
import type { NativeRequest } from "../../src/core/driver-sink.ts"
import { rejectQuestion, replyPermission, replyQuestion } from "../../src/core/replies.ts"
import { pendingOf } from "../../src/core/requests.ts"
import { patchSession } from "../../src/core/settings.ts"
import { checkLog } from "./checks.ts"
import { type Stage, setStage } from "./stage.ts"

const permission = (key: string, more = {}): NativeRequest => ({
  key,
  type: "permission",
  kind: "command",
  action: "Run it",
  covers: ["rule"],
  always: ["rule"],
  ...more,
})
const part = {
  id: "q",
  prompt: "Which?",
  type: "choice" as const,
  options: [{ label: "A" }, { label: "B" }],
  multi_select: false,
  allow_other: false,
}
const ask = (stage: Stage, request: NativeRequest) => stage.say(() => stage.sink.ask(request))
const first = (stage: Stage): Permission => pendingOf(stage.session).permissions[0] as Permission
const answers = (stage: Stage) =>
  stage.puppet.asked.flatMap((asked) => (asked.call === "answer" ? [[asked.key, asked.answer]] : []))

async function running(): Promise<Stage> {
  const stage = await setStage()
  await stage.running()
  return stage
}

test("an answer is in the log before the agent gets it, and the agent is always answered once", async () => {
  await using stage = await running()
  ask(stage, permission("p"))
  expect(stage.session.status).toBe("waiting")
  const committed: string[] = []
  stage.puppet.behaviour.answer = async () => {
    const logged = stage.core.context.reader.texts(stage.session.log, 0, 1_000).map(({ json }) => JSON.parse(json).type)
    committed.push(...logged.filter((type) => type === "permission.resolved"))
  }
  const resolved = await replyPermission(stage.session, first(stage).permission_id, "always", "go on")
  expect(resolved).toMatchObject({ status: "accept_for_session", by: "client", message: "go on" })
  expect(committed).toEqual(["permission.resolved"])
  expect(answers(stage)).toEqual([["p", { kind: "permission", reply: "once", message: "go on" }]])
  expect(stage.session.status).toBe("running")
})

test("`always` is kept by the core: it answers what is open and what comes", async () => {
  await using stage = await running()
  for (const key of ["p1", "p2"]) ask(stage, permission(key))
  ask(stage, permission("other", { covers: ["something else"] }))
  await replyPermission(stage.session, first(stage).permission_id, "always")
  ask(stage, permission("p3"))
  await stage.puppet.until("answer", 3)
  const by = stage.of("permission.resolved").map(({ data }) => [data.status, data.by])
  expect(by).toEqual([
    ["accept_for_session", "client"],
    ["accept", "rule"],
    ["accept", "rule"],
  ])
  expect(pendingOf(stage.session).permissions).toHaveLength(1)
  expect(stage.core.context.rows.rules(stage.session.record.uid)).toEqual(["rule"])
})

test("a change of the permission mode decides the open permissions anew", async () => {
  await using stage = await running()
  ask(stage, permission("p"))
  ask(stage, { key: "q", type: "question", questions: [part] })
  await patchSession(stage.session, { permissionMode: "bypass" })
  await stage.puppet.until("answer")
  expect(answers(stage)).toMatchObject([["p", { reply: "once" }]])
  expect(stage.session.status).toBe("waiting") // questions still come to a person
  expect(stage.of("permission.resolved")[0]?.data).toMatchObject({ status: "accept", by: "mode" })
})

test("answer and cancel at the same moment: the first wins, the other is told what was decided", async () => {
  await using stage = await running()
  ask(stage, permission("p"))
  const id = first(stage).permission_id
  const answered = replyPermission(stage.session, id, "once")
  const cancelled = cancelTurn(stage.session, {})
  await expect(answered).resolves.toMatchObject({ status: "accept" })
  await stage.puppet.until("interrupt")
  stage.say(() => stage.sink.turnEnded({ stop: "cancelled" }))
  await cancelled
  expect(stage.of("permission.resolved").map(({ data }) => data.status)).toEqual(["accept"])
  await expect(replyPermission(stage.session, id, "reject")).rejects.toMatchObject({
    code: "conflict",
    context: { resolution: { status: "accept", permission_id: id } },
  })
})

test("cancel before the answer: the answer conflicts and never reaches the agent", async () => {
  await using stage = await running()
  ask(stage, permission("p"))
  const id = first(stage).permission_id
  const cancelled = cancelTurn(stage.session, {})
  await expect(replyPermission(stage.session, id, "once")).rejects.toMatchObject({ code: "conflict" })
  await stage.puppet.until("interrupt")
  stage.say(() => stage.sink.turnEnded({ stop: "cancelled" }))
  await cancelled
  expect(answers(stage)).toEqual([])
  expect(checkLog(stage.events())).toEqual([])
})

test("two clients, one question: one is answered, one conflicts", async () => {
  await using stage = await running()
  ask(stage, { key: "q", type: "question", questions: [part] })
  const id = pendingOf(stage.session).questions[0]?.question_id ?? ""
  const both = await Promise.allSettled([
    replyQuestion(stage.session, id, [["A"]]),
    rejectQuestion(stage.session, id, "no"),
  ])
  expect(both.map(({ status }) => status)).toEqual(["fulfilled", "rejected"])
  expect(answers(stage)).toEqual([["q", { kind: "question", answers: [["A"]] }]])
})

test("answers that do not fit are refused and leave the question open; secrets are not logged", async () => {
  await using stage = await running()
  const secret = { ...part, id: "s", type: "text" as const, options: [], secret: true, required: true }
  ask(stage, { key: "q", type: "question", questions: [part, secret] })
  const id = pendingOf(stage.session).questions[0]?.question_id ?? ""
  for (const bad of [[["A"]], [["C"], ["x"]], [["A", "B"], ["x"]], [["A"], []]])
    await expect(replyQuestion(stage.session, id, bad)).rejects.toMatchObject({ code: "invalid_request" })
  await replyQuestion(stage.session, id, [["A"], ["hunter2"]])
  expect(answers(stage)).toEqual([["q", { kind: "question", answers: [["A"], ["hunter2"]] }]])
  expect(JSON.stringify(stage.events())).not.toContain("hunter2")
})

test("an approved plan leaves permission mode plan, and the agent is told", async () => {
  await using stage = await setStage({ create: { permissionMode: "plan" } })
  await stage.running()
  const approval = { ...part, options: [{ label: "Approve" }, { label: "Reject" }], allow_other: true }
  ask(stage, { key: "q", type: "question", questions: [approval], purpose: "plan_approval" })
  await replyQuestion(stage.session, pendingOf(stage.session).questions[0]?.question_id ?? "", [["Approve"]])
  expect(stage.session.record.permissionMode).toBe("default")
  expect(stage.of("session.updated").some(({ data }) => data.permission_mode === "default")).toBe(true)
  expect(stage.puppet.asked).toContainEqual({ call: "configure", settings: { permissionMode: "default" } })
})

test("an ask about a call nobody has shown makes its item; asking twice is counted", async () => {
  await using stage = await running()
  ask(stage, permission("p", { call: "c1" }))
  ask(stage, permission("p", { call: "c1" }))
  const item = stage.of("item.completed").at(-1)?.data.item
  expect([item?.kind, item?.item_id]).toEqual(["tool_call", first(stage).item_id])
  expect(stage.faults).toEqual({ asked_twice: 1 })
  stage.say(() => stage.sink.unask("p"))
  expect(stage.of("permission.resolved")[0]?.data).toMatchObject({ status: "cancelled", reason: "agent" })
  stage.say(() => stage.sink.turnEnded({ stop: "end_turn" }))
  expect(checkLog(stage.events())).toEqual([])
})

test("what is not what its type says is shown to nobody, and refused", async () => {
  await using stage = await running()
  ask(stage, permission("named", { action: 5 }))
  ask(stage, { key: "asked", type: "question", questions: [{ ...part, prompt: 5 as never }] })
  const message = "it cannot be read"
  await expect
    .poll(() => answers(stage))
    .toEqual([
      ["named", { kind: "permission", reply: "reject", message }],
      ["asked", { kind: "question_rejected", message }],
    ])
  expect(pendingOf(stage.session)).toEqual({ permissions: [], questions: [] })
  expect(stage.of("agent.unparsed")).toHaveLength(2)
})

test("an answer that finds a dead agent stays answered", async () => {
  await using stage = await running()
  ask(stage, permission("p"))
  stage.puppet.behaviour.answer = async (_key, _answer, { sink }) => {
    sink.gone({ code: 1 })
    throw new Error("broken pipe")
  }
  await expect(replyPermission(stage.session, first(stage).permission_id, "once")).resolves.toMatchObject({
    status: "accept",
  })
  expect(stage.of("turn.ended")[0]?.data.stop_reason).toBe("error")
  expect(checkLog(stage.events())).toEqual([])
})

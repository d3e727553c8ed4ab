import { SandboxAgentError } from "@sandbox-agent/schema/error"
import { limits } from "@sandbox-agent/schema/limits"
import type { Permission, PermissionReply, Question } from "@sandbox-agent/schema/request"
import { boundData, cutMiddle } from "./bounds.ts"
import { withDeadline } from "./deadline.ts"
import { type Decision, decide, FOR_GOOD } from "./decide.ts"
import type { AnswerTaker, NativeAnswer } from "./driver.ts"
import type { NativePermission, NativeQuestion, NativeRequest } from "./driver-sink.ts"
import { closeItem, openItem } from "./items.ts"
import type { OpenRequest, Session } from "./session.ts"

/** The agent asks. A rule or the permission mode may answer at once; else it waits for a person, without a time limit. */
export function ask(s: Session, native: NativeRequest, by?: AnswerTaker): void {
  if ([...s.requests.values()].some((open) => open.native.key === native.key)) return s.fault("asked_twice", native.key)
  const turnId = native.background ? undefined : s.turn?.id
  const itemId = native.call === undefined ? undefined : itemOfCall(s, native, native.call)
  const id = s.context.ids.next(native.type === "permission" ? "perm" : "que")
  const request: OpenRequest = { id, native, by, turnId, itemId }
  const decision: Decision =
    native.type === "permission" ? decide(native, s.record.permissionMode, s.rules) : { verdict: "ask" }
  s.requests.set(id, request)
  // With `by` nobody is asked: a client that shows requests must not show this one.
  const decidedBy = decision.verdict === "ask" ? undefined : decision.by
  try {
    const doc =
      native.type === "permission" ? { ...permission(request, native), by: decidedBy } : question(request, native)
    log(s, request, doc, true)
  } catch (error) {
    // Not what its type says: nobody can be shown it, and whoever asked waits.
    s.requests.delete(id)
    answerLater(s, request, refusal(native, "it cannot be read"))
    throw error
  }
  if (s.requests.size > limits.openRequests) {
    s.fault("too_many_open_requests", native.key)
    cancelRequest(s, request, "too many open requests")
    answerLater(s, request, refusal(native, "too many open requests"))
  } else if (decision.verdict !== "ask" && native.type === "permission") decided(s, request, native, decision)
  statusFromRequests(s)
}

function decided(s: Session, request: OpenRequest, native: NativePermission & NativeRequest, decision: Decision): void {
  if (decision.verdict === "ask") return
  s.requests.delete(request.id)
  const status = decision.verdict === "allow" ? "accept" : "reject"
  log(s, request, { ...permission(request, native), status, by: decision.by, reason: decision.reason }, false, "daemon")
  const reply = decision.verdict === "allow" ? "once" : "reject"
  answerLater(s, request, { kind: "permission", reply, message: decision.reason })
}

/** A new permission mode decides the open permissions anew: agents do not. */
export function redecide(s: Session): void {
  for (const request of [...s.requests.values()])
    if (request.native.type === "permission")
      decided(s, request, request.native, decide(request.native, s.record.permissionMode, s.rules))
  statusFromRequests(s)
}

/** Nobody will answer it any more. */
export function cancelRequest(s: Session, request: OpenRequest, reason: string): void {
  s.requests.delete(request.id)
  const { native } = request
  if (native.type === "permission")
    log(s, request, { ...permission(request, native), status: "cancelled", reason }, false, "daemon")
  else log(s, request, { ...question(request, native), status: "cancelled", reason }, false, "daemon")
}

export function unask(s: Session, key: string, reason = "agent"): void {
  for (const [sequence, forwarded] of s.forwardedRequests)
    if (forwarded.key === key) return void s.forwardedRequests.delete(sequence)
  for (const request of s.requests.values())
    if (request.native.key === key) {
      cancelRequest(s, request, reason)
      return statusFromRequests(s)
    }
}

/** `waiting` while anything is asked; else what the turn says. */
export function statusFromRequests(s: Session): void {
  if (s.record.status === "ended" || s.record.status === "starting" || s.record.status === "installing") return
  s.setStatus(s.requests.size > 0 ? "waiting" : s.turn === undefined ? "idle" : "running", true)
}

export function pendingOf(s: Session): { permissions: Permission[]; questions: Question[] } {
  const permissions: Permission[] = []
  const questions: Question[] = []
  for (const request of s.requests.values())
    if (request.native.type === "permission") permissions.push(permission(request, request.native))
    else questions.push(question(request, request.native))
  return { permissions, questions }
}

/** Whether this was asked in the session, be it open or answered. */
export function wasAsked(s: Session, id: string): boolean {
  if (s.requests.has(id)) return true
  s.context.store.flush() // also what was asked, or answered, a moment ago
  return s.context.rows.request(s.record.uid, id) !== undefined
}

function answerLater(s: Session, request: OpenRequest, answer: NativeAnswer): void {
  answerAfterCommit(s, request, answer).catch((error: unknown) =>
    s.context.log("warn", "an answer did not reach the agent", { session: s.record.id, error: String(error) }),
  )
}

export async function answerAfterCommit(s: Session, request: OpenRequest, answer: NativeAnswer): Promise<void> {
  const { native, epoch } = s
  const taker = request.by ?? native
  await s.committed()
  if (s.epoch !== epoch) return
  const { answerMs } = s.context.deadlines
  try {
    if (taker === undefined) throw new Error("it is not open yet")
    await withDeadline(
      taker.answer(request.native.key, answer),
      answerMs,
      `agent ${s.record.agent} did not take the answer`,
    )
  } catch (error) {
    // Its connection may break a moment before its end is reported.
    if (SandboxAgentError.is(error) && error.code === "agent_process_exited" && s.epoch === epoch && s.turn)
      await withDeadline(s.turn.ended.promise, answerMs, "it lives").catch(() => undefined)
    // An answer that was logged but found a dead agent stays answered; the turn ends with the agent's error.
    if (s.epoch !== epoch) return
    const why = SandboxAgentError.is(error) ? error : new SandboxAgentError("unavailable", notTaken(s, error))
    s.append("error", { message: why.detail, code: why.code }, "daemon")
    throw why
  }
}

const notTaken = (s: Session, error: unknown): string =>
  `agent ${s.record.agent} did not take the answer: ${error instanceof Error ? error.message : String(error)}`

const refusal = (native: NativeRequest, message: string): NativeAnswer =>
  native.type === "permission"
    ? { kind: "permission", reply: "reject", message }
    : { kind: "question_rejected", message }

/** An ask about a call nobody has shown yet: the item is made, so that the request has something to stand on. */
function itemOfCall(s: Session, native: NativeRequest, call: string): string | undefined {
  const known = s.calls.get(call)?.itemId
  if (known !== undefined || native.type !== "permission") return known
  for (const open of s.items.values())
    if (open.item.content.some((part) => part.type === "tool_call" && part.call_id === call)) return open.item.item_id
  const content = {
    type: "tool_call" as const,
    name: native.action,
    arguments: JSON.stringify(native.detail ?? {}),
    call_id: call,
  }
  const opened = openItem(s, { key: `ask:${native.key}`, kind: "tool_call", content: [content] })
  closeItem(s, opened.key, { status: "completed", content: [content] })
  return opened.item.item_id
}

/** What can be given. */
function choicesOf({ allowed, always }: NativePermission): PermissionReply[] {
  if (allowed === "never") return ["reject"]
  if (allowed === "for_good") return ["always", "reject"]
  return always.length > 0 ? ["once", "always", "reject"] : ["once", "reject"]
}

export function permission(request: OpenRequest, native: NativePermission & NativeRequest): Permission {
  return {
    permission_id: request.id,
    action: cutMiddle(native.action, limits.requestChars),
    status: "requested",
    kind: native.kind,
    detail: native.detail && boundData(native.detail, limits.eventBytes / 2),
    choices: choicesOf(native),
    ...(native.allowed === "for_good" && { reason: `always: ${FOR_GOOD}` }),
    item_id: request.itemId,
    call_id: native.call,
    turn_id: request.turnId,
    metadata: native.metadata && boundData(native.metadata, limits.eventBytes / 4),
  }
}

export function question(request: OpenRequest, native: NativeQuestion & NativeRequest): Question {
  const questions = native.questions.map((part) => ({ ...part, prompt: cutMiddle(part.prompt, limits.requestChars) }))
  return {
    question_id: request.id,
    prompt: questions[0]?.prompt ?? "",
    options: questions[0]?.options.map((option) => option.label) ?? [],
    status: "requested",
    questions,
    item_id: request.itemId,
    call_id: native.call,
    turn_id: request.turnId,
    purpose: native.purpose,
  }
}

export function log(
  s: Session,
  request: OpenRequest,
  doc: Permission | Question,
  open: boolean,
  source?: "daemon",
): void {
  if ("permission_id" in doc) s.append(open ? "permission.requested" : "permission.resolved", doc, source)
  else s.append(open ? "question.requested" : "question.resolved", doc, source)
  const kind = "permission_id" in doc ? "permission" : "question"
  s.saveRow("request", request.id, (rows, uid) => rows.saveRequest(uid, { id: request.id, kind, open, doc }))
  let permissions = 0
  for (const { native } of s.requests.values()) if (native.type === "permission") permissions++
  s.context.global.append("session.pending", s.record.id, { permissions, questions: s.requests.size - permissions })
}

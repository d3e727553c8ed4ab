import { SandboxAgentError } from "@sandbox-agent/schema/error"
import type { Permission, PermissionReply, Question } from "@sandbox-agent/schema/request"
import { checkedAnswers } from "./answers.ts"
import { setPermissionMode } from "./applied-settings.ts"
import { FOR_GOOD } from "./decide.ts"
import type { Meaning } from "./driver.ts"
import type { NativePermission, NativeQuestion, NativeRequest } from "./driver-sink.ts"
import { answerAfterCommit, log, permission, question, redecide, statusFromRequests } from "./requests.ts"
import type { OpenRequest, Session } from "./session.ts"

const statuses = { once: "accept", always: "accept_for_session", reject: "reject" } as const

export async function replyPermission(
  s: Session,
  id: string,
  reply: PermissionReply,
  message?: string,
  passthrough?: object,
): Promise<Permission> {
  const request = openRequest(s, id, "permission")
  const native = request.native as NativePermission & NativeRequest
  const asked = permission(request, native)
  // A client that speaks the agent's protocol chose among the agent's own options.
  if (passthrough === undefined && !asked.choices.includes(reply))
    throw new SandboxAgentError("invalid_request", `reply: ${reply} is not one of ${asked.choices.join(", ")}`)
  s.requests.delete(id)
  const reason = native.allowed === "for_good" && reply === "always" ? FOR_GOOD : undefined
  const resolved: Permission = { ...asked, reason, status: statuses[reply], by: "client", message }
  log(s, request, resolved, false, "daemon")
  if (reply === "always")
    for (const key of native.always) {
      s.rules.add(key)
      s.context.store.write(() => s.context.rows.addRule(s.record.uid, key))
    }
  statusFromRequests(s)
  // The agent is always answered once: rules are ours, and nothing permanent is written to its configuration.
  const once = reply === "reject" ? "reject" : "once"
  const taken = answerAfterCommit(s, request, { kind: "permission", reply: once, message, passthrough })
  // Also when this one is not taken: the rule holds for all that is open.
  await taken.finally(() => reply === "always" && redecide(s))
  return resolved
}

export async function replyQuestion(
  s: Session,
  id: string,
  given: string[][],
  passthrough?: object,
): Promise<Question> {
  const request = openRequest(s, id, "question")
  const native = request.native as NativeQuestion & NativeRequest
  // A form of the agent's own was checked in its own words.
  const answers = passthrough === undefined ? checkedAnswers(native, given) : given
  // Whoever answers nothing of it has declined.
  const nothing = given.length > 0 && answers.every((answer) => answer.length === 0)
  if (passthrough === undefined && nothing) return rejectQuestion(s, id)
  s.requests.delete(id)
  const shown = native.questions.map((part, i) => (part.secret ? [] : (answers[i] ?? [])))
  const response = shown.flat().join(", ")
  const resolved: Question = { ...question(request, native), status: "answered", answers: shown, response }
  log(s, request, resolved, false, "daemon")
  statusFromRequests(s)
  if (native.purpose === "plan_approval" && answers[0]?.[0] === "Approve" && s.record.permissionMode === "plan")
    setPermissionMode(s, s.beforePlan ?? "default")
  await answerAfterCommit(s, request, { kind: "question", answers, passthrough })
  return resolved
}

export async function rejectQuestion(
  s: Session,
  id: string,
  message?: string,
  passthrough?: object,
): Promise<Question> {
  const request = openRequest(s, id, "question")
  s.requests.delete(id)
  const native = request.native as NativeQuestion & NativeRequest
  const resolved: Question = { ...question(request, native), status: "rejected", message }
  log(s, request, resolved, false, "daemon")
  statusFromRequests(s)
  await answerAfterCommit(s, request, { kind: "question_rejected", message, passthrough })
  return resolved
}

/** What an answer in the agent's own protocol says; `undefined`: nothing. */
export function meaningOf(s: Session, id: string, passthrough: object): Meaning | undefined {
  const request = s.requests.get(id)
  const taker = request?.by?.meaning === undefined ? s.native?.passthrough : request.by
  return request && taker?.meaning?.(request.native.key, passthrough)
}

/** Logged as what it means, given to the agent as it is. */
export async function replyPassthrough(
  s: Session,
  id: string,
  meaning: Meaning,
  passthrough: object,
  message?: string,
): Promise<Permission | Question> {
  if (meaning.kind === "permission") return replyPermission(s, id, meaning.reply, message, passthrough)
  return meaning.kind === "question"
    ? replyQuestion(s, id, meaning.answers, passthrough)
    : rejectQuestion(s, id, message, passthrough)
}

function openRequest(s: Session, id: string, kind: "permission" | "question"): OpenRequest {
  const open = s.requests.get(id)
  if (open?.native.type === kind) return open
  s.context.store.flush() // one that was resolved just now is found, too
  const past = s.context.rows.request(s.record.uid, id)
  if (past === undefined || past.kind !== kind)
    throw new SandboxAgentError("not_found", `session ${s.record.id} has no ${kind} ${id}`, { sessionId: s.record.id })
  throw new SandboxAgentError("conflict", `${kind} ${id} was already resolved: ${past.doc.status}`, {
    sessionId: s.record.id,
    resolution: past.doc,
  })
}

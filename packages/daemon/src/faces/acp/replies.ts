import { SandboxAgentError } from "@sandbox-agent/schema/error"
import type { Permission, Question } from "@sandbox-agent/schema/request"
import type { Client } from "../../core/client.ts"
import type { PassthroughResponse } from "../../core/driver.ts"
import { replyForwarded } from "../../core/forwarded-requests.ts"
import { meaningOf, rejectQuestion, replyPassthrough, replyPermission, replyQuestion } from "../../core/replies.ts"
import { pendingOf, wasAsked } from "../../core/requests.ts"
import { assertMayAnswer } from "../../core/rights.ts"
import type { Session } from "../../core/session.ts"
import type { Acp } from "./acp.ts"
import { sessionOf } from "./attached-session.ts"
import type { Connection } from "./connection.ts"
import { report } from "./dispatch.ts"
import { passthroughRequest } from "./passthrough-requests.ts"
import { choiceAnswer, permissionAnswer, questionAnswer, type Response, wordsIn } from "./projection/answers.ts"
import { isRecord } from "./projection/envelope.ts"
import { choiceLabels, choicesId, choicesRequest, wayOf } from "./projection/v1/question.ts"
import { type Answer, type Incoming, thrownAnswer } from "./rpc.ts"

type Reply = Extract<Incoming, { kind: "reply" }>

/** A request of ours: the whole, and which of several questions an answer is to. */
interface PendingRequest {
  session: Session
  id: string
  /** As the client knows it. */
  rpcId: string
  k: number
}

/** The session whose request a reply answers, among those the connection is or was attached to. */
export function askedBy(acp: Acp, connection: Connection, reply: Reply): PendingRequest | undefined {
  if (typeof reply.id !== "string") return undefined
  const [, id = "", k = "0"] = /^((?:perm|que|evt)_[^.]+)(?:\.(\d{1,4}))?$/.exec(reply.id) ?? []
  if (id === "") return undefined
  for (const row of connection.attachments) {
    const session = sessionOf(acp, row)
    if (session === undefined) continue
    const place = forwardedAt(session, id)
    if (place !== undefined) return { session, id, rpcId: reply.id, k: place }
    if (wasAsked(session, id)) return { session, id, rpcId: reply.id, k: Number(k) }
  }
  return undefined
}

/** The place in the log of a request that was passed on: its id is that of its event. */
function forwardedAt({ record, log }: Session, id: string): number | undefined {
  const [, uid, sequence] = /^evt_(\d{1,15})_(\d{1,15})$/.exec(id) ?? []
  return Number(uid) === record.uid && Number(sequence) <= log.last ? Number(sequence) : undefined
}

/**
 * A client's answer to a permission or a question. The first one counts; for a further one, or one that cannot be
 * meant, the typed error comes back as a response of its own, on the stream and to whoever waits for it here.
 */
export async function takeReply(
  acp: Acp,
  connection: Connection,
  reply: Reply,
  client: Client,
): Promise<Answer | undefined> {
  const asked = askedBy(acp, connection, reply)
  try {
    if (asked === undefined)
      throw new SandboxAgentError("not_found", `nothing was asked under ${JSON.stringify(reply.id)}`)
    await assertMayAnswer(asked.session, asked.id, client)
    const response = reply.error === undefined ? { result: reply.result } : { error: reply.error }
    await connection.hold(decide(acp, connection, asked, response))
    return undefined
  } catch (thrown) {
    report(acp, "response", thrown)
    const envelope = thrownAnswer(reply.id, thrown)
    connection.say({ to: asked?.session.record.id, envelope })
    await acp.store.committed()
    return envelope
  }
}

async function decide(acp: Acp, connection: Connection, asked: PendingRequest, response: Response): Promise<void> {
  const { session: s, id } = asked
  if (id.startsWith("evt_")) return await replyForwarded(s, asked.k, forwardedResponse(response))
  const open = s.requests.get(id)
  if (open !== undefined && passthroughRequest(open, s.record.id, connection.traits) !== undefined)
    return await decideInKind(acp, connection, asked, response)
  const pending = pendingOf(s)
  const permission = pending.permissions.find((one) => one.permission_id === id)
  if (permission !== undefined) return await decidePermission(acp, connection, asked, permission, response)
  const question = pending.questions.find((one) => one.question_id === id)
  if (question !== undefined) return await decideQuestion(acp, connection, asked, question, response)
  if (decidesNothing(response)) return // as a client should that was told to stop asking
  // Resolved already: the core says how.
  if (id.startsWith("perm_")) await replyPermission(s, id, "reject")
  else await rejectQuestion(s, id)
}

function forwardedResponse(response: Response): PassthroughResponse {
  if ("result" in response) return { result: response.result }
  const { code, message, data } = isRecord(response.error) ? response.error : {}
  const words = typeof message === "string" ? message : "the client failed"
  const error = { code: typeof code === "number" ? code : -32603, message: words }
  return { error: { ...error, ...(data !== undefined && { data }) } }
}

function decidesNothing(response: Response): boolean {
  const outcome = "result" in response && isRecord(response.result) ? response.result.outcome : undefined
  return "error" in response || (isRecord(outcome) && outcome.outcome === "cancelled")
}

/** As the agent asked, so it is answered: what the answer means only its driver knows. */
async function decideInKind(
  acp: Acp,
  connection: Connection,
  { session: s, id, rpcId }: PendingRequest,
  response: Response,
): Promise<void> {
  const given = "result" in response && isRecord(response.result) ? response.result : undefined
  if ("result" in response && given === undefined)
    throw new SandboxAgentError("invalid_request", "result: an object is expected")
  const meaning = given && meaningOf(s, id, given)
  remember(acp, connection, rpcId, response)
  if (given !== undefined && meaning !== undefined)
    return void (await replyPassthrough(s, id, meaning, given, wordsIn(response)))
  await acp.declined.by(connection, s, id)
}

async function decidePermission(
  acp: Acp,
  connection: Connection,
  { session: s, id, rpcId }: PendingRequest,
  permission: Permission,
  response: Response,
): Promise<void> {
  const answer = permissionAnswer(permission, response)
  remember(acp, connection, rpcId, answer)
  if (answer.kind === "permission") await replyPermission(s, id, answer.reply, answer.message)
  else await acp.declined.by(connection, s, id)
}

async function decideQuestion(
  acp: Acp,
  connection: Connection,
  asked: PendingRequest,
  question: Question,
  response: Response,
): Promise<void> {
  const { session: s, id, rpcId, k } = asked
  const byChoice = wayOf(question, connection.traits) === "choices"
  const answer = byChoice ? choiceAnswer(question, k, response) : questionAnswer(question, response)
  remember(acp, connection, rpcId, answer)
  if (answer.kind === "rejected") await rejectQuestion(s, id, answer.message)
  else if (answer.kind === "answered") await replyQuestion(s, id, answer.answers)
  else if (answer.kind === "dismissed") await acp.declined.by(connection, s, id)
  else {
    const next = nextChoice(question, k)
    if (next === undefined) await replyQuestion(s, id, chosenSoFar(acp, connection, question))
    else connection.say({ to: s.record.id, envelope: choicesRequest(question, next, s.record.id) })
  }
}

/** The next question that this client can answer, or must: one that asks for words and may be left out is left out. */
function nextChoice({ questions }: Question, k: number): number | undefined {
  const next = questions.findIndex((part, i) => i > k && (part.required === true || choiceLabels(part).length > 0))
  return next < 0 ? undefined : next
}

/** Answers to several questions that were asked one after the other. */
function chosenSoFar(acp: Acp, connection: Connection, question: Question): string[][] {
  const rows = acp.rows.upToDate
  return question.questions.map((_, k) => {
    const stored = rows.answer(connection.uid, choicesId(question.question_id, k))
    const answer = stored === undefined ? undefined : (JSON.parse(stored) as { answer?: string[] })
    return answer?.answer ?? []
  })
}

/** The client that answered need not be told to stop asking. */
function remember({ store, rows }: Acp, connection: Connection, request: string, answer: object): void {
  const text = JSON.stringify(answer)
  store.write(() => {
    if (!connection.removed) rows.saveAnswer(connection.uid, request, text)
  })
}

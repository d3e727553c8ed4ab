import { acpLimits } from "@sandbox-agent/schema/acp-limits"
import { SandboxAgentError } from "@sandbox-agent/schema/error"
import type { BriefClient } from "../http/clients.ts"
import { whenGone } from "../http/gone.ts"
import { assertAcceptsSse } from "../http/sse.ts"
import type { Acp } from "./acp.ts"
import { askAgain } from "./attach.ts"
import { sessionOf } from "./attached-session.ts"
import { empty, json } from "./body.ts"
import type { Connection } from "./connection.ts"
import { headerlessId, SERVERS } from "./connections.ts"
import { type Sender, senderOf, takeCall, takeNotice } from "./dispatch.ts"
import type { Posted } from "./method.ts"
import { traitsOf } from "./projection/traits.ts"
import { promptAnswer } from "./prompt-answer.ts"
import { takeReply } from "./replies.ts"
import { type Answer, type Incoming, incoming, invalidRequest } from "./rpc.ts"
import { streamFirst, within } from "./stream-first.ts"
import { openStream } from "./streams.ts"
import { leave } from "./watched.ts"

const encoder = new TextEncoder()
const blank = encoder.encode(" ")
let streams = 0

/** A message without `Acp-Connection-Id`: the answer is in the body, and on the stream. */
export async function headerlessPost(
  acp: Acp,
  request: Request,
  path: string,
  message: Record<string, unknown>,
  agent: string | undefined,
): Promise<Response> {
  const connection = bind(acp, path, agent)
  const given = incoming(message)
  const sender = senderOf(acp, request, given, agent)
  if (given.kind === "invalid") return json(invalidRequest(given.id, given.why), 400)
  if (given.kind === "reply") {
    const refusal = await takeReply(acp, connection, given, sender.client)
    return refusal === undefined ? empty(202) : json(refusal)
  }
  if (given.kind === "notice") {
    await takeNotice(acp, connection, given, sender)
    return empty(202)
  }
  return await answerCall(acp, request, connection, given, sender)
}

async function answerCall(
  acp: Acp,
  request: Request,
  connection: Connection,
  given: Extract<Incoming, { kind: "call" }>,
  sender: Sender & { client: BriefClient },
): Promise<Response> {
  const { call, done } = takeCall(acp, connection, given, sender)
  if (/(^|[\s,])respond-async([\s,;]|$)/.test(request.headers.get("prefer") ?? "")) {
    await Promise.all([acp.store.committed(), sender.client.seen])
    return empty(202)
  }
  rememberInBody(connection, call.n)
  whenGone(request, () => connection.inBody.delete(call.n))
  const answered = answerInBody(acp, request, connection, given, done)
  const soon = (await within(acpLimits.plainAnswerMs, answered)) ? await answered : undefined
  if (soon !== undefined) return json(soon)
  return new Response(waiting(answered, acp.services.intervals.heartbeatMs) as unknown as ReadableStream, {
    headers: { "content-type": "application/json", "cache-control": "no-store", "x-accel-buffering": "no" },
  })
}

/** The answer, once the stream has sent what comes before it. Undefined when the client left, or the daemon stops. */
async function answerInBody(
  acp: Acp,
  request: Request,
  connection: Connection,
  { id, method }: Extract<Incoming, { kind: "call" }>,
  done: Promise<Answer | Posted>,
): Promise<Answer | undefined> {
  const outcome = await done
  if ("jsonrpc" in outcome) {
    const { lastSaid } = connection
    if (method === "session/load") await streamFirst(acp, connection.feeds.values(), (feed) => feed.hasSent(lastSaid))
    return outcome
  }
  const ended = await promptAnswer(acp, connection, outcome, request.signal)
  if (ended === undefined) return undefined
  await streamFirst(acp, connection.feeds.values(), (feed) => feed.passed(ended.pos))
  return { jsonrpc: "2.0", id, ...ended.answer }
}

/** A turn, or an install, may take hours: white space keeps the connection alive until the answer is there. */
async function* waiting(answered: Promise<Answer | undefined>, heartbeatMs: number): AsyncGenerator<Uint8Array> {
  for (;;) {
    yield blank
    if (!(await within(heartbeatMs, answered))) continue
    const answer = await answered
    if (answer !== undefined) yield encoder.encode(JSON.stringify(answer))
    return
  }
}

export function rememberInBody({ inBody: calls }: Pick<Connection, "inBody">, n: number): void {
  for (const oldest of calls) {
    if (calls.size < acpLimits.bodyAnswers) break
    calls.delete(oldest)
  }
  calls.add(n)
}

/** The stream of all that is said at a path. It begins now, unless the client says what it has. */
export function headerlessGet(acp: Acp, request: Request, path: string): Response {
  assertAcceptsSse(request)
  const known = acp.connections.get(headerlessId(path))
  if (known === undefined && request.headers.get("last-event-id"))
    throw new SandboxAgentError("gone", "Last-Event-ID: this connection is no longer kept", {
      hint: "Initialize again and load the sessions with session/load.",
    })
  const connection = known ?? made(acp, path, undefined)
  acp.connections.touch(connection)
  connection.fence()
  const start = { pos: acp.store.nextPos - 1, k: Number.MAX_SAFE_INTEGER }
  // The only client there is, and new to what its sessions ask.
  if (connection.feeds.size === 0 && !request.headers.get("last-event-id"))
    for (const row of connection.attachments) {
      const s = row.toSeq === null ? sessionOf(acp, row) : undefined
      if (s !== undefined) askAgain(acp, connection, s)
    }
  return openStream(acp, request, connection, { kind: "all" }, start, `stream ${++streams}`)
}

/** One client is done. Its sessions go on; the last one takes the connection with it. */
export async function headerlessDelete(acp: Acp, path: string): Promise<Response> {
  const connection = acp.connections.get(headerlessId(path))
  if (connection === undefined) throw new SandboxAgentError("not_found", `there is no connection at ${path}`)
  countBegun(acp, connection)
  const clients = Math.max(0, (connection.doc.clients ?? 0) - 1)
  connection.doc = { ...connection.doc, clients }
  // Whoever has no stream just now may come back to an address that many share; a name is one client's own.
  const isLast = clients === 0 || (path.startsWith(`${SERVERS}/`) && connection.feeds.size === 0)
  if (isLast) leave(acp, connection)
  else connection.save()
  await acp.store.committed()
  return empty(204)
}

/** The connection of a path, with what its newest client said of itself. */
export function bind(acp: Acp, path: string, agent: string | undefined): Connection {
  const connection = acp.connections.get(headerlessId(path)) ?? made(acp, path, agent)
  countBegun(acp, connection, agent)
  acp.connections.touch(connection)
  return connection
}

/** Whoever has begun here without a header is one of its clients, until it sends one. */
function countBegun(acp: Acp, connection: Connection, agent?: string): void {
  const { doc } = connection
  const begun = acp.unclaimed.take(doc.path)
  const newest = begun.at(-1)?.doc
  if (newest === undefined) return
  const clients = (doc.clients ?? 0) + begun.length
  connection.doc = { ...doc, agent: newest.agent ?? agent ?? doc.agent, traits: newest.traits, clients }
  connection.save()
}

const made = (acp: Acp, path: string, agent: string | undefined): Connection =>
  acp.connections.open("headerless", path, agent, traitsOf({}), headerlessId(path))

/** A client that was counted here turned out to send headers. */
export function unbind(acp: Acp, path: string): void {
  const connection = acp.connections.get(headerlessId(path))
  if (connection === undefined) return
  connection.doc = { ...connection.doc, clients: Math.max(0, (connection.doc.clients ?? 0) - 1) }
  connection.save()
}

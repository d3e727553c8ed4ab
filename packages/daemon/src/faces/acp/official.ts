import { acpLimits } from "@sandbox-agent/schema/acp-limits"
import type { Acp } from "./acp.ts"
import { empty, json, text } from "./body.ts"
import type { Connection } from "./connection.ts"
import { senderOf, takeCall, takeNotice } from "./dispatch.ts"
import { sessionIdIn } from "./method.ts"
import { sessionMethods } from "./methods/table.ts"
import { askedBy, takeReply } from "./replies.ts"
import { type Incoming, incoming, invalidRequest } from "./rpc.ts"
import { openStream } from "./streams.ts"
import { type Part, partKey } from "./visibility.ts"
import { leave } from "./watched.ts"

export const CONNECTION = "acp-connection-id"
export const SESSION = "acp-session-id"

/** The official transport: requests are taken with 202 and answered on the streams. Refusals are plain text. */
export async function officialPost(
  acp: Acp,
  request: Request,
  id: string,
  message: Record<string, unknown>,
  agent: string | undefined,
): Promise<Response> {
  if (message.jsonrpc === "2.0" && message.method === "initialize" && "id" in message)
    return text("Initialize not allowed on existing connection", 400)
  const connection = claim(acp, id)
  if (connection === undefined) return unknown()
  const session = request.headers.get(SESSION)
  const given = incoming(message)
  const named = typeof message.method === "string" && typeof message.id === "string"
  const long = named ? tooLong(String(message.id), "Request ID") : undefined
  const refusal = long ?? refused(acp, connection, given, session)
  if (refusal !== undefined) return text(refusal, 400)
  const sender = senderOf(acp, request, given, agent)
  if (given.kind === "reply") await takeReply(acp, connection, given, sender.client)
  else if (given.kind === "notice") await takeNotice(acp, connection, given, sender)
  else if (given.kind === "invalid") connection.say({ envelope: invalidRequest(given.id, given.why) })
  else takeCall(acp, connection, given, sender)
  // On disk before it is acknowledged: what is taken here is answered, also by the next run of the daemon.
  await Promise.all([acp.store.committed(), sender.client.seen])
  return empty(202)
}

/** Why the official transport refuses a message: its headers do not fit it. */
function refused(acp: Acp, connection: Connection, given: Incoming, session: string | null): string | undefined {
  if (given.kind === "invalid") return undefined
  if (given.kind === "reply") {
    const asked = askedBy(acp, connection, given)
    if (asked === undefined || asked.session.record.id === session) return undefined
    return session === null ? "Missing Acp-Session-Id" : "Mismatched Acp-Session-Id"
  }
  const named = sessionIdIn(given.params)
  if (session === null && (named !== undefined || sessionMethods.has(given.method))) return "Missing Acp-Session-Id"
  if (session !== null && named !== undefined && session !== named) return "Mismatched Acp-Session-Id"
  return tooLong(session ?? "", "Session ID")
}

const tooLong = (id: string, what: string): string | undefined =>
  id.length > acpLimits.idChars ? `${what} exceeds ${acpLimits.idChars} characters` : undefined

export function officialGet(acp: Acp, request: Request, id: string): Response {
  if (!request.headers.get("accept")?.toLowerCase().includes("text/event-stream")) return text("Not Acceptable", 406)
  const connection = claim(acp, id)
  if (connection === undefined) return unknown()
  const session = request.headers.get(SESSION)
  const long = tooLong(session ?? "", "Session ID")
  if (long !== undefined) return text(long, 400)
  const part: Part = session === null ? { kind: "connection" } : { kind: "session", id: session }
  const returns = request.headers.has("last-event-id")
  // One reader per stream, as the transport has it; one that returns with its cursor takes its place back.
  if (connection.feeds.has(partKey(part)) && !returns)
    return text("Outbound stream already has an active receiver", 409)
  return openStream(acp, request, connection, part, startOf(acp, connection, part))
}

/** Without a cursor: after what was given to the last reader; after a restart, from where this run began. */
function startOf({ startPos }: Acp, { given, doc }: Connection, part: Part) {
  return given.get(partKey(part)) ?? { pos: Math.max(doc.startPos, startPos) - 1, k: Number.MAX_SAFE_INTEGER }
}

export function officialDelete(acp: Acp, id: string): Response {
  const connection = acp.connections.get(id)
  if (connection === undefined || connection.doc.dialect !== "official") return unknown()
  leave(acp, connection)
  return empty(202)
}

/** From its first use on a connection is kept. */
function claim(acp: Acp, id: string): Connection | undefined {
  const connection = acp.connections.get(id)
  if (connection === undefined || connection.doc.dialect !== "official") return undefined
  acp.unclaimed.claimed(connection)
  acp.connections.touch(connection)
  return connection
}

const unknown = (): Response => text("Unknown Acp-Connection-Id", 404)

export const initialized = (answer: unknown, id: string): Response => json(answer, 200, { [CONNECTION]: id })

import { acpLimits } from "@sandbox-agent/schema/acp-limits"
import { acpQuery } from "@sandbox-agent/schema/contract/mounted"
import { SandboxAgentError } from "@sandbox-agent/schema/error"
import { queryOf } from "../http/input.ts"
import { pathOf } from "../http/router.ts"
import type { Upgrade } from "../http/socket.ts"
import type { Acp, AcpBase } from "./acp.ts"
import { json, readMessage, text } from "./body.ts"
import { Catalogs } from "./catalogs.ts"
import { SERVERS } from "./connections.ts"
import { Declined } from "./declined.ts"
import { bind, headerlessDelete, headerlessGet, headerlessPost, unbind } from "./headerless.ts"
import { initialize } from "./methods/connection.ts"
import { noRoom } from "./no-room.ts"
import { CONNECTION, initialized, officialDelete, officialGet, officialPost } from "./official.ts"
import { Pages } from "./pages.ts"
import { traitsOf } from "./projection/traits.ts"
import { incoming, invalidRequest, resultAnswer, thrownAnswer } from "./rpc.ts"
import { AcpSocket } from "./socket.ts"
import { Unclaimed } from "./unclaimed.ts"

export interface Served {
  rpc(request: Request, upgrade: Upgrade): Promise<Response>
  servers(request: Request): Promise<Response>
  forget(): void
}

/** All that answers requests; loaded with the first one. */
export function serve(base: AcpBase): Served {
  const catalogs = new Catalogs(base.services)
  const unclaimed = new Unclaimed()
  const pages = new Pages({ ...base, catalogs })
  const acp: Acp = { ...base, catalogs, unclaimed, pages, declined: new Declined(base) }
  unclaimed.onLate = ({ doc }) => unbind(acp, doc.path)
  return {
    rpc: (request, upgrade) => rpcRequest(acp, request, upgrade),
    servers: (request) => serverRequest(acp, request),
    forget: () => acp.pages.forget(),
  }
}

/** The header decides: with it the official transport, without it the headerless form, `initialize` is both. */
async function rpcRequest(acp: Acp, request: Request, upgrade: Upgrade): Promise<Response> {
  assertRoom(acp)
  const path = pathOf(request)
  const id = request.headers.get(CONNECTION)
  const agent = agentOf(request)
  if (request.method === "POST") {
    const posting = await readMessage(request)
    if ("answer" in posting) {
      const { status, words, answer, batch } = posting
      return id === null || batch ? json(answer, status) : text(words, status)
    }
    const { message } = posting
    if (id !== null) return officialPost(acp, request, id, message, agent)
    if (message.method === "initialize" && "id" in message) return begin(acp, path, message, agent)
    return headerlessPost(acp, request, path, message, agent)
  }
  if (request.method === "GET") {
    if (request.headers.get("upgrade")?.toLowerCase() === "websocket") return socket(acp, request, path, upgrade, agent)
    return id === null ? headerlessGet(acp, request, path) : officialGet(acp, request, id)
  }
  if (request.method === "DELETE") return id === null ? headerlessDelete(acp, path) : officialDelete(acp, id)
  return text("Method Not Allowed", 405, { allow: "GET, POST, DELETE" })
}

/** A connection whose client will show by its next request how it speaks. */
function begin(acp: Acp, path: string, message: Record<string, unknown>, query: string | undefined): Response {
  const given = incoming(message)
  if (given.kind === "invalid") return json(invalidRequest(given.id, given.why), 400)
  if (given.kind !== "call" || given.id === null) return text("Initialize request must include an ID", 400)
  try {
    const { agent, traits, result } = initialize(acp, given.params, query)
    const connection = acp.connections.open("official", path, agent, traits)
    acp.unclaimed.add(connection)
    return initialized(resultAnswer(given.id, result), connection.id)
  } catch (thrown) {
    // The official client looks for the header before it looks at the error.
    const connection = acp.connections.open("official", path, undefined, traitsOf({}))
    connection.counted = true
    return initialized(thrownAnswer(given.id, thrown), connection.id)
  }
}

function socket(acp: Acp, request: Request, path: string, upgrade: Upgrade, agent: string | undefined): Response {
  const connection = acp.connections.open("socket", path, undefined, traitsOf({}))
  const offered = request.headers.get("sec-websocket-protocol")?.split(/\s*,\s*/) ?? []
  const spoken = offered.find((name) => !name.startsWith("sandboxagent.token."))
  const headers = { [CONNECTION]: connection.id, ...(spoken ? { "sec-websocket-protocol": spoken } : {}) }
  const sender = { agent, client: acp.services.clients.of(request) }
  if (upgrade(request, new AcpSocket(acp, connection, sender), headers)) return new Response(null)
  acp.connections.remove(connection)
  return text("WebSocket upgrade failed", 426)
}

/** Clients that name their connection in the path. */
async function serverRequest(acp: Acp, request: Request): Promise<Response> {
  assertRoom(acp)
  const path = pathOf(request).replace(/\/$/, "")
  if (path === SERVERS) return methodNotAllowed(path, ["GET", "HEAD"])
  const id = path.slice(SERVERS.length + 1)
  if (!/^[A-Za-z0-9._:-]+$/.test(id) || id.length > acpLimits.serverIdChars)
    throw new SandboxAgentError("invalid_request", `serverId: 1 to ${acpLimits.serverIdChars} of [A-Za-z0-9._:-]`)
  const agent = agentOf(request)
  if (request.method === "GET") return headerlessGet(acp, request, path)
  if (request.method === "DELETE") return headerlessDelete(acp, path)
  if (request.method !== "POST") return methodNotAllowed(path, ["GET", "POST", "DELETE"])
  const posting = await readMessage(request)
  if ("answer" in posting) return json(posting.answer, posting.status)
  const { message } = posting
  if (message.method !== "initialize" || !("id" in message)) return headerlessPost(acp, request, path, message, agent)
  const response = begin(acp, path, message, agent)
  bind(acp, path, agent)
  return response
}

/** Reading goes on by streams that are open; every new request writes something of its connection. */
function assertRoom(acp: Acp): void {
  const refused = noRoom(acp)
  if (refused !== undefined) throw refused
}

function methodNotAllowed(path: string, allow: string[]): never {
  throw new SandboxAgentError("method_not_allowed", `${path} takes ${allow.join(", ")}`, { allow })
}

/** `?agent=` of an address. */
const agentOf = ({ url }: Request): string | undefined => queryOf(url, acpQuery).agent || undefined

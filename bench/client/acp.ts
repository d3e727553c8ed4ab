import type { Running } from "../target/target.ts"
import { openEvents } from "./event-stream.ts"
import { KeptConnection } from "./kept.ts"

export interface Message {
  id?: number
  method?: string
  result?: { sessionId?: string; [name: string]: unknown }
  error?: { message: string }
}

/** One client of a session over ACP. */
export interface AcpClient {
  readonly sessionId: string
  /** Where the updates of the session are, and the headers that name this client there. */
  readonly path: string
  readonly headers: string[]
  /** Resolves with the result, once it is here: in the body, or on a stream. */
  call(method: string, params: object): Promise<NonNullable<Message["result"]>>
  /** Reads the updates of the session, and what else comes by that stream. */
  watch(onMessage: (text: string) => void): Promise<void>
  close(): void
}

/** Opens a client: of a new session, or of one that another client has made. */
export type Dialect = (server: Running, id: string, session?: string) => Promise<AcpClient>

const begin = { protocolVersion: 1, clientCapabilities: {} }
const newSession: { cwd: string; mcpServers: []; sessionId?: string } = { cwd: "/tmp", mcpServers: [] }
const rpc = (id: number, method: string, params: object): string =>
  JSON.stringify({ jsonrpc: "2.0", id, method, params })

export const prompt = (client: AcpClient, text: string) =>
  client.call("session/prompt", { sessionId: client.sessionId, prompt: [{ type: "text", text }] })

/** `/v1/acp/{id}`, which ours and the peer both speak: answers in bodies, one stream for all who name the same id. */
export const headerless: Dialect = async (server, id, session) => {
  const path = `/v1/acp/${id}`
  const kept = await KeptConnection.open(server.port, server.token)
  const closing = [kept.close]
  let next = 0
  const call: AcpClient["call"] = async (method, params) => {
    const { status, text } = await kept.ask(
      "POST",
      `${path}?agent=${server.agent ?? "mock"}`,
      [],
      rpc(++next, method, params),
    )
    if (status !== 200) throw new Error(`${method}: ${status} ${text}`)
    return resultOf(method, JSON.parse(text))
  }
  if (session === undefined) await call("initialize", begin)
  const sessionId = session ?? (await call("session/new", newSession)).sessionId ?? ""
  return {
    sessionId,
    path,
    headers: [],
    call,
    watch: async (onMessage) => {
      closing.push(await openStream(server, path, [], onMessage))
    },
    close: () => {
      for (const one of closing) one()
    },
  }
}

/** The official transport: answers on the connection's stream, updates and answers of a session on its own. */
export const official: Dialect = async (server, _, session) => {
  const path = "/v1/rpc"
  const { port, token } = server
  const kept = await KeptConnection.open(port, token)
  const closing = [kept.close]
  const waiting = new Map<number, PromiseWithResolvers<Message>>()
  let next = 0
  const heard = (data: string): void => {
    // Most of what comes is updates, and those are not for here.
    if (!data.startsWith(`{"jsonrpc":"2.0","id":`)) return
    const message: Message = JSON.parse(data)
    waiting.get(message.id ?? -1)?.resolve(message)
    waiting.delete(message.id ?? -1)
  }
  const first = await kept.ask("POST", `${path}?agent=${server.agent ?? "mock"}`, [], rpc(0, "initialize", begin))
  const connection = `Acp-Connection-Id: ${first.header("acp-connection-id")}`
  const open = async (headers: string[], onMessage: (data: string) => void): Promise<void> => {
    closing.push(await openStream(server, path, headers, onMessage))
  }
  await open([connection], heard)
  const call = async (method: string, params: { sessionId?: string }): ReturnType<AcpClient["call"]> => {
    const id = ++next
    const answer = Promise.withResolvers<Message>()
    waiting.set(id, answer)
    const headers = params.sessionId === undefined ? [connection] : [connection, `Acp-Session-Id: ${params.sessionId}`]
    const { status, text } = await kept.ask("POST", path, headers, rpc(id, method, params))
    if (status !== 202) throw new Error(`${method}: ${status} ${text}`)
    return resultOf(method, await answer.promise)
  }
  const sessionId = session ?? (await call("session/new", newSession)).sessionId ?? ""
  if (session !== undefined) await call("session/load", { ...newSession, sessionId })
  const headers = [connection, `Acp-Session-Id: ${sessionId}`]
  return {
    sessionId,
    path,
    headers,
    call,
    watch: (onMessage) =>
      open(headers, (data) => {
        heard(data)
        onMessage(data)
      }),
    close: () => {
      for (const one of closing) one()
    },
  }
}

/** Gives what closes it. */
async function openStream(
  { port, token }: Running,
  path: string,
  headers: string[],
  onMessage: (data: string) => void,
): Promise<() => void> {
  const { status, close } = await openEvents({ port, path, token, headers }, ({ data }) => onMessage(data))
  if (status !== 200) throw new Error(`a stream of ${path} got ${status}`)
  return close
}

function resultOf(method: string, { result, error }: Message): NonNullable<Message["result"]> {
  if (result === undefined) throw new Error(`${method}: ${error?.message}`)
  return result
}

import { createServer, type IncomingMessage, type ServerResponse } from "node:http"

/**
 * A server that keeps every message it sends and replays from `Last-Event-ID`: what the protocol plans and the official server does not
 * do yet. Turns are written in the prompt, as for the official one.
 */
export interface LogServerOptions {
  /** `body`: no stream, answers in bodies. */
  form?: "official" | "headerless" | "body"
  /** Answers to requests in the body also where there is a stream. */
  answersInBody?: boolean
  /** Sends all of the log again on every opening, whatever the client has seen. */
  forgetful?: boolean
}

interface Kept {
  stream: string
  data: string
}

interface Connection {
  log: Kept[]
  readers: Map<string, { response: ServerResponse; at: number }>
  /** How often each stream was opened. */
  opened: Map<string, number>
  asked: Map<number, (answer: unknown) => void>
}

interface Message {
  id?: number
  method?: string
  params?: { sessionId?: string; prompt?: { text: string }[] }
  result?: unknown
}

export async function startLogServer({
  form = "official",
  answersInBody = false,
  forgetful = false,
}: LogServerOptions = {}) {
  const official = form === "official"
  const connections = new Map<string, Connection>()
  const fresh = (): Connection => ({ log: [], readers: new Map(), opened: new Map(), asked: new Map() })
  const seen = { methods: [] as string[], answers: [] as number[], openings: [] as (string | undefined)[], ended: 0 }
  let count = 0
  if (!official) connections.set("", fresh())

  let opening = Promise.withResolvers<void>()
  const flush = (connection: Connection) => {
    for (const [stream, reader] of connection.readers) {
      for (; reader.at < connection.log.length; reader.at++) {
        const kept = connection.log[reader.at]
        if (kept?.stream === stream) reader.response.write(`id: ${reader.at + 1}\ndata: ${kept.data}\n\n`)
      }
    }
  }
  const tell = (connection: Connection, session: string | undefined, message: object) => {
    connection.log.push({
      stream: official ? (session ?? "") : "",
      data: JSON.stringify({ jsonrpc: "2.0", ...message }),
    })
    flush(connection)
  }

  async function perform(connection: Connection, { method, params, id }: Message): Promise<object> {
    if (method === "session/new") return { sessionId: `s${++count}` }
    if (method !== "session/prompt") return { method, id }
    const sessionId = params?.sessionId
    const [verb = "", argument = "", tag = ""] = (params?.prompt?.[0]?.text ?? "").split(" ")
    const say = (text: string) =>
      tell(connection, sessionId, {
        method: "session/update",
        params: { sessionId, update: { sessionUpdate: "agent_message_chunk", content: { type: "text", text } } },
      })
    const openings = () => connection.opened.get(official ? `${sessionId}` : "")
    const before = openings()
    for (let at = 0; (verb === "say" || verb === "half") && at < Number(argument); at++) {
      say(`${tag}${at}`)
      // The other half is for a stream that was opened again meanwhile.
      while (verb === "half" && at * 2 === Number(argument) && openings() === before) await opening.promise
      if (at % 7 === 6) await new Promise((resolve) => setImmediate(resolve))
    }
    if (verb === "ask") {
      const asking = ++count
      const answer = await new Promise((resolve) => {
        connection.asked.set(asking, resolve)
        const asked = { sessionId, toolCall: { toolCallId: `t${asking}` }, options: [] }
        tell(connection, sessionId, { id: asking, method: "session/request_permission", params: asked })
      })
      say(JSON.stringify(answer))
    }
    if (verb === "wait") await new Promise(() => undefined)
    return { stopReason: "end_turn" }
  }

  async function post(request: IncomingMessage, response: ServerResponse, body: string) {
    const message: Message = JSON.parse(body)
    if (message.method !== undefined) seen.methods.push(message.method)
    if (message.method === "initialize") {
      const id = `c${++count}`
      if (official) connections.set(id, fresh())
      response.writeHead(200, { "content-type": "application/json", ...(official ? { "acp-connection-id": id } : {}) })
      return response.end(JSON.stringify({ jsonrpc: "2.0", id: message.id, result: { protocolVersion: 1 } }))
    }
    const connection = connections.get(official ? `${request.headers["acp-connection-id"]}` : "")
    if (connection === undefined) return response.writeHead(404).end()
    if (message.method === undefined) {
      const asking = message.id ?? -1
      seen.answers.push(asking)
      connection.asked.get(asking)?.(message.result)
      connection.asked.delete(asking)
      return response.writeHead(202).end()
    }
    if (message.id === undefined) return response.writeHead(202).end()
    const inBody = form === "body" || answersInBody
    if (!inBody) response.writeHead(202).end()
    const result = await perform(connection, message)
    seen.ended++
    if (form !== "body") {
      const session = message.method === "session/new" ? undefined : message.params?.sessionId
      tell(connection, session, { id: message.id, result })
    }
    if (!inBody) return
    response.writeHead(200, { "content-type": "application/json" })
    response.end(JSON.stringify({ jsonrpc: "2.0", id: message.id, result }))
  }

  function get(request: IncomingMessage, response: ServerResponse) {
    if (form === "body") return response.writeHead(405).end()
    const connection = connections.get(official ? `${request.headers["acp-connection-id"]}` : "")
    if (connection === undefined) return response.writeHead(404).end()
    const last = request.headers["last-event-id"]
    seen.openings.push(typeof last === "string" ? last : undefined)
    const stream = official ? `${request.headers["acp-session-id"] ?? ""}` : ""
    // The newest reader wins: the old one's socket may be dead without anybody knowing.
    connection.readers.get(stream)?.response.destroy()
    const reader = { response, at: forgetful ? 0 : Number(last ?? (official ? 0 : connection.log.length)) }
    connection.readers.set(stream, reader)
    connection.opened.set(stream, (connection.opened.get(stream) ?? 0) + 1)
    opening.resolve()
    opening = Promise.withResolvers()
    response.on("close", () => {
      if (connection.readers.get(stream) === reader) connection.readers.delete(stream)
    })
    response.writeHead(200, { "content-type": "text/event-stream" })
    // Where the stream stands, before anything has come on it: a break now loses nothing either.
    response.write(`:\n\nid: ${reader.at}\n\n`)
    flush(connection)
  }

  const server = createServer((request, response) => {
    if (request.method === "GET") return get(request, response)
    if (request.method === "DELETE") return response.writeHead(202).end()
    let body = ""
    request.on("data", (chunk) => {
      body += chunk
    })
    request.on("end", () => void post(request, response, body))
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const address = server.address()
  return {
    url: `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}/acp`,
    seen,
    stop: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

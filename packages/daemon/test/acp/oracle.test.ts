import { agent } from "@agentclientprotocol/sdk"
import { AcpServer } from "@agentclientprotocol/sdk/experimental/server"
import { expect, test } from "vitest"
import { startDaemon, type TestDaemon } from "../harness/daemon.ts"

type Send = (init: RequestInit) => Promise<Response>

/** The SDK's own server with a small agent, as oracle for the transport. */
function oracle(): Send {
  const asJson = (params: unknown) => params as Record<string, unknown>
  const app = agent({ name: "oracle" })
  app.onRequest("initialize" as "_any", asJson, () => ({ protocolVersion: 1, agentCapabilities: {} }) as never)
  app.onRequest("session/new" as "_any", asJson, () => ({ sessionId: "s1" }) as never)
  app.onRequest("session/prompt" as "_any", asJson, () => ({ stopReason: "end_turn" }) as never)
  const server = new AcpServer({ agent: app as never })
  return (init) => server.handleRequest(new Request("http://127.0.0.1/acp", init))
}

const ours =
  ({ url, token }: TestDaemon): Send =>
  (init) =>
    fetch(`${url}/v1/rpc?agent=mock`, {
      ...init,
      headers: { ...init.headers, authorization: `Bearer ${token}` } as never,
    })

const json = { "content-type": "application/json" }
const sse = { accept: "text/event-stream" }
const call = (method: string, params: object = {}, id: unknown = 7) =>
  JSON.stringify({ jsonrpc: "2.0", id, method, params })

interface Row {
  name: string
  /** With the ids of a connection that has a session `s1`. */
  init: (connection: string) => RequestInit
  /** Why ours answers otherwise. */
  differs?: { status?: number; why: string }
}

const on = (connection: string, session?: string) => ({
  "acp-connection-id": connection,
  ...(session === undefined ? {} : { "acp-session-id": session }),
})
const post = (headers: Record<string, string>, body: string): RequestInit => ({
  method: "POST",
  headers: { ...json, ...headers },
  body,
})
const prompt = { sessionId: "s1", prompt: [{ type: "text", text: "x" }] }

const rows: Row[] = [
  { name: "initialize", init: () => post({}, call("initialize", { protocolVersion: 1 })) },
  {
    name: "initialize without an id of its own",
    init: () => post({}, call("initialize", { protocolVersion: 1 }, null)),
  },
  { name: "initialize on a connection", init: (c) => post(on(c), call("initialize", { protocolVersion: 1 })) },
  {
    name: "a request of the connection",
    init: (c) => post(on(c), call("session/new", { cwd: "/tmp", mcpServers: [] })),
  },
  { name: "a request of a session", init: (c) => post(on(c, "s1"), call("session/prompt", prompt)) },
  { name: "an unknown method", init: (c) => post(on(c), call("no/such")) },
  {
    name: "a notification",
    init: (c) =>
      post(on(c, "s1"), JSON.stringify({ jsonrpc: "2.0", method: "session/cancel", params: { sessionId: "s1" } })),
  },
  { name: "an unknown notification", init: (c) => post(on(c), JSON.stringify({ jsonrpc: "2.0", method: "no/such" })) },
  { name: "a response to nothing", init: (c) => post(on(c), JSON.stringify({ jsonrpc: "2.0", id: 99, result: {} })) },
  { name: "a session request without the session's header", init: (c) => post(on(c), call("session/prompt", prompt)) },
  {
    name: "a session request with another session's header",
    init: (c) => post(on(c, "s2"), call("session/prompt", prompt)),
  },
  {
    name: "any request that names a session without the header",
    init: (c) => post(on(c), call("_x/y", { sessionId: "s1" })),
  },
  { name: "a session method without parameters or header", init: (c) => post(on(c), call("session/set_mode")) },
  { name: "an object that is no message", init: (c) => post(on(c), "{}") },
  {
    name: "another content type",
    init: (c) => ({ ...post(on(c), call("session/list")), headers: { ...on(c), "content-type": "text/plain" } }),
  },
  {
    name: "a content type with a parameter",
    init: (c) => ({
      ...post(on(c), call("session/list")),
      headers: { ...on(c), "content-type": "application/json; charset=utf-8" },
    }),
  },
  { name: "what is not JSON", init: (c) => post(on(c), "{") },
  { name: "JSON that is no object", init: (c) => post(on(c), "7") },
  { name: "a batch", init: (c) => post(on(c), `[${call("session/list")}]`) },
  { name: "a batch without headers", init: () => post({}, `[${call("session/list")}]`) },
  { name: "an unknown connection", init: () => post(on("nobody"), call("session/list")) },
  { name: "a request id over 1024 characters", init: (c) => post(on(c), call("session/list", {}, "x".repeat(1_025))) },
  { name: "a session id over 1024 characters", init: (c) => post(on(c, "x".repeat(1_025)), call("_x/y")) },
  {
    name: "a request without headers",
    init: () => post({}, call("session/list")),
    differs: { status: 200, why: "ours serves clients that send no headers at the same address" },
  },
  {
    name: "what is not JSON, without headers",
    init: () => post({}, "{"),
    differs: { why: "the same status; without headers the body is the JSON-RPC error" },
  },
  { name: "a stream of the connection", init: (c) => ({ headers: { ...sse, ...on(c) } }) },
  { name: "a stream of a session", init: (c) => ({ headers: { ...sse, ...on(c, "s1") } }) },
  { name: "a stream of a session nobody knows", init: (c) => ({ headers: { ...sse, ...on(c, "unknown") } }) },
  { name: "a stream of an unknown connection", init: () => ({ headers: { ...sse, ...on("nobody") } }) },
  { name: "a stream without accepting events", init: (c) => ({ headers: { accept: "application/json", ...on(c) } }) },
  {
    name: "a stream of a session id over 1024 characters",
    init: (c) => ({ headers: { ...sse, ...on(c, "x".repeat(1_025)) } }),
  },
  {
    name: "a stream without headers",
    init: () => ({ headers: sse }),
    differs: { status: 200, why: "ours serves clients that send no headers at the same address" },
  },
  { name: "another verb", init: (c) => ({ method: "PUT", headers: on(c) }) },
  { name: "DELETE of an unknown connection", init: () => ({ method: "DELETE", headers: on("nobody") }) },
  {
    name: "DELETE without headers",
    init: () => ({ method: "DELETE" }),
    differs: { status: 404, why: "without headers it ends the headerless connection, and there is none" },
  },
  { name: "DELETE", init: (c) => ({ method: "DELETE", headers: on(c) }) },
]

async function begun(send: Send): Promise<string> {
  const response = await send(post({}, call("initialize", { protocolVersion: 1 }, 0)))
  const connection = response.headers.get("acp-connection-id") ?? ""
  const stream = await send({ headers: { ...sse, ...on(connection) } })
  const meta = { "sandboxagent.dev": { requestedSessionId: "s1" } }
  await send(post(on(connection), call("session/new", { cwd: "/tmp", mcpServers: [], _meta: meta }, 1)))
  const reader = stream.body?.getReader()
  let said = ""
  while (!said.includes('"s1"')) said += new TextDecoder().decode((await reader?.read())?.value)
  await reader?.cancel()
  return connection
}

async function answered(send: Send, row: Row) {
  const connection = await begun(send)
  // The reader that was there has to be noticed to be gone.
  let response = await send(row.init(connection))
  while (response.status === 409) {
    await Bun.sleep(20)
    response = await send(row.init(connection))
  }
  const type = response.headers.get("content-type")?.split(";")[0] ?? ""
  const body = type === "text/event-stream" ? "" : await response.text()
  if (type === "text/event-stream") await response.body?.cancel()
  return { status: response.status, type, body, connection: response.headers.has("acp-connection-id") }
}

test.each(rows)("$name: as the SDK's server does", async (row) => {
  await using daemon = await startDaemon()
  const [theirs, mine] = await Promise.all([answered(oracle(), row), answered(ours(daemon), row)])
  expect(mine.status).toBe(row.differs?.status ?? theirs.status)
  if (row.differs !== undefined) return
  expect(mine.connection).toBe(theirs.connection)
  expect(mine.type).toBe(theirs.type)
  if (theirs.type !== "text/plain") return
  // Words may say which limit; the rest is the same.
  if (!/1024|exceeds/.test(theirs.body)) expect(mine.body).toBe(theirs.body)
})

test("a second reader of one stream is refused, and let in when the first has left", async () => {
  await using daemon = await startDaemon()
  for (const send of [oracle(), ours(daemon)]) {
    const connection = await begun(send)
    const init = { headers: { ...sse, ...on(connection, "s1") } }
    const first = await send(init)
    expect(first.status).toBe(200)
    expect((await send(init)).status).toBe(409)
    await first.body?.cancel()
    let status = 409
    while (status === 409) {
      await Bun.sleep(20)
      const again = await send(init)
      status = again.status
      if (status === 200) await again.body?.cancel()
    }
    expect(status).toBe(200)
  }
})

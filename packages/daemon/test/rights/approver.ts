/**
 * A client for the shell of an agent that has got hold of the token: `URL TOKEN http METHOD PATH [JSON]`, or
 * `URL TOKEN official|headerless|socket SESSION REQUEST` for an answer over ACP. Prints what it is told.
 */
const [url = "", token = "", way = "", ...rest] = process.argv.slice(2)
const auth = { authorization: `Bearer ${token}`, "content-type": "application/json" }

interface Message {
  id?: unknown
  error?: unknown
}

async function http(method: string, path: string, body?: string): Promise<string> {
  const response = await fetch(url + path, { method, headers: auth, body })
  return `${response.status} ${await response.text()}`
}

const initialize = {
  jsonrpc: "2.0",
  id: 0,
  method: "initialize",
  params: { protocolVersion: 1, clientCapabilities: {} },
}
const load = (sessionId: string) => ({
  ...{ jsonrpc: "2.0", id: 1, method: "session/load" },
  params: { sessionId, cwd: "/", mcpServers: [] },
})
const answer = (id: string) => ({
  ...{ jsonrpc: "2.0", id },
  result: { outcome: { outcome: "selected", optionId: "allow_once" } },
})

async function headerless(session: string, request: string): Promise<string> {
  const post = (message: object) => http("POST", "/v1/acp/approver", JSON.stringify(message))
  await post(initialize)
  await post(load(session))
  return await post(answer(request))
}

async function official(session: string, request: string): Promise<string> {
  const post = (message: object, headers: Record<string, string>) =>
    fetch(`${url}/v1/rpc`, { method: "POST", headers: { ...auth, ...headers }, body: JSON.stringify(message) })
  const begun = await post(initialize, {})
  const connection = { "acp-connection-id": begun.headers.get("acp-connection-id") ?? "" }
  const named = { ...connection, "acp-session-id": session }
  const stream = await fetch(`${url}/v1/rpc`, { headers: { ...auth, ...named, accept: "text/event-stream" } })
  await post(load(session), named)
  let text = ""
  let answered = false
  for await (const chunk of stream.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += chunk
    if (!answered && text.includes("session/request_permission")) {
      answered = true
      await post(answer(request), named)
    }
    const refused = text.split("\n").find((line) => line.includes(`"id":"${request}"`) && line.includes('"error"'))
    if (refused !== undefined) return refused
  }
  return "the stream ended"
}

async function socket(session: string, request: string): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>()
  const open = new WebSocket(`${url.replace("http", "ws")}/v1/rpc`, { headers: auth } as unknown as string[])
  open.onopen = () => open.send(JSON.stringify(initialize))
  open.onclose = () => resolve("the socket was closed")
  open.onmessage = ({ data }) => {
    const message = JSON.parse(String(data)) as Message
    if (message.id === 0) open.send(JSON.stringify(load(session)))
    else if (message.id === 1) open.send(JSON.stringify(answer(request)))
    else if (message.id === request && message.error !== undefined) resolve(String(data))
  }
  return await promise
}

const [one = "", two = "", three] = rest
const ways = new Map<string, () => Promise<string>>([
  ["http", () => http(one, two, three)],
  ["headerless", () => headerless(one, two)],
  ["official", () => official(one, two)],
  ["socket", () => socket(one, two)],
])
const said: Promise<string> | undefined = ways.get(way)?.()
console.log(await said)
process.exit(0)

export {}

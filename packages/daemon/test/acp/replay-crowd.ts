// A process of its own whose clients load one session, by each transport in turn: says how many bytes they were told so
// far, and when all were told to the end.
interface Config {
  url: string
  token: string
  count: number
  session: string
  /** Stands in the last of what is told, and nowhere else. */
  marker: string
  /** Bytes between two reports. */
  step: number
}
const { url, token, count, session, marker, step } = JSON.parse(process.argv[2] ?? "") as Config
const authorization = `Bearer ${token}`
const load = { sessionId: session, cwd: "/tmp", mcpServers: [] }
let complete = 0
let bytes = 0
let said = 0

function took(size: number): void {
  bytes += size
  if (bytes - said < step) return
  said = bytes
  console.log(`told ${bytes}`)
}

const oneComplete = () => ++complete === count && console.log(`complete ${bytes}`)

function post(path: string, message: object, headers: Record<string, string>): Promise<Response> {
  const all = { authorization, "content-type": "application/json", ...headers }
  const body = JSON.stringify({ jsonrpc: "2.0", ...message })
  return fetch(url + path, { method: "POST", headers: all, body })
}

/** Reads a stream until the marker stands in it. */
async function read(path: string, headers: Record<string, string>, opened: () => void): Promise<void> {
  const response = await fetch(url + path, { headers: { authorization, accept: "text/event-stream", ...headers } })
  opened()
  let end = Buffer.alloc(0)
  for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
    took(chunk.length)
    end = Buffer.concat([end, chunk])
    if (end.includes(marker)) return void oneComplete()
    end = end.subarray(-marker.length)
  }
  throw new Error("the stream ended before the marker")
}

const initialize = { id: 0, method: "initialize", params: { protocolVersion: 1 } }

async function overHttp(path: string, isOfficial: boolean): Promise<void> {
  const begun = await post(`${path}?agent=mock`, initialize, {})
  const connection = begun.headers.get("acp-connection-id") ?? ""
  const headers: Record<string, string> = isOfficial
    ? { "acp-connection-id": connection, "acp-session-id": session }
    : { prefer: "respond-async" }
  const opened = Promise.withResolvers<void>()
  const all = read(path, headers, opened.resolve)
  await opened.promise
  await post(path, { id: 1, method: "session/load", params: load }, headers)
  await all
}

function overSocket(): void {
  const socket = new WebSocket(`${url.replace(/^http/, "ws")}/v1/rpc?agent=mock`, {
    headers: { authorization },
  } as unknown as string)
  const ask = (message: object) => socket.send(JSON.stringify({ jsonrpc: "2.0", ...message }))
  let isComplete = false
  socket.onopen = () => ask(initialize)
  socket.onclose = ({ code }) => console.log(`wrong: closed with ${code}`)
  socket.onmessage = ({ data }: { data: string }) => {
    took(data.length)
    if (data.startsWith('{"jsonrpc":"2.0","id":0,')) ask({ id: 1, method: "session/load", params: load })
    else if (!isComplete && data.includes(marker)) {
      isComplete = true
      oneComplete()
    }
  }
}

for (let i = 0; i < count; i++)
  if (i % 3 === 0) overSocket()
  else void overHttp(i % 3 === 1 ? `/v1/acp/crowd-${i}` : "/v1/rpc", i % 3 === 2)

export {}

import type { McpAddress } from "./api.ts"
import type { Connect, Message } from "./mcp-client.ts"

/** A server at an address: by the streams of today, or (`sse`) by those of yesterday. */
const overHttp = (server: McpAddress, messageChars: number): Connect =>
  server.type === "sse" ? overSse(server, messageChars) : overStreams(server, messageChars)

/** Each message is a request; its answer comes with it, as JSON or as a stream. */
const overStreams =
  ({ url, headers }: McpAddress, messageChars: number): Connect =>
  async (receive, lost) => {
    const ended = new AbortController()
    let session: Record<string, string> = {}
    return {
      async send(message) {
        const answer = await posted(url, { ...headers, ...session }, message, ended.signal)
        const id = answer.headers.get("mcp-session-id")
        if (id !== null) session = { "mcp-session-id": id }
        if (message.method === "initialize") session["mcp-protocol-version"] = "2025-06-18"
        if (!answer.headers.get("content-type")?.includes("event-stream")) {
          const text = await answer.text()
          if (text.trim() !== "") for (const one of [JSON.parse(text)].flat()) receive(one as Message)
          return
        }
        // It goes on while others are sent.
        const read = async () => {
          for await (const { data } of eventsOf(answer, messageChars)) receive(JSON.parse(data) as Message)
        }
        read().catch((error: Error) => lost(error.message))
      },
      close: () => ended.abort(),
    }
  }

/** One stream brings all answers; it first tells where messages go. */
const overSse =
  ({ url, headers }: McpAddress, messageChars: number): Connect =>
  async (receive, lost) => {
    const ended = new AbortController()
    const stream = await fetch(url, { headers: { accept: "text/event-stream", ...headers }, signal: ended.signal })
    if (!stream.ok) throw new Error(`${url} answered ${stream.status}`)
    let tell: (address: string) => void = () => {}
    const address = new Promise<string>((resolve) => {
      tell = resolve
    })
    const read = async () => {
      for await (const { event, data } of eventsOf(stream, messageChars)) {
        if (event === "endpoint") tell(new URL(data, url).href)
        else receive(JSON.parse(data) as Message)
      }
      lost("its stream ended")
    }
    read().catch((error: Error) => lost(error.message))
    return {
      async send(message) {
        await posted(await address, headers, message, ended.signal)
      },
      close: () => ended.abort(),
    }
  }

async function posted(
  url: string,
  headers: Record<string, string> | undefined,
  message: Message,
  signal: AbortSignal,
): Promise<Response> {
  const answer = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json, text/event-stream", ...headers },
    body: JSON.stringify(message),
    signal,
  })
  if (!answer.ok) throw new Error(`${url} answered ${answer.status}`)
  return answer
}

/** By hand: this is loaded by Pi, and one executable cannot hold our parser both as code and as a text to lay out. */
async function* eventsOf({ body }: Response, messageChars: number): AsyncIterable<{ event?: string; data: string }> {
  const decoder = new TextDecoder()
  let rest = ""
  for await (const chunk of body ?? []) {
    const blocks = (rest + decoder.decode(chunk as Uint8Array, { stream: true })).split(/\r?\n\r?\n/)
    rest = blocks.pop() ?? ""
    if (rest.length > messageChars) throw new Error(`it said more than ${messageChars} characters in one event`)
    for (const block of blocks) {
      const fields = block.split(/\r?\n/).map((line) => /^(\w+): ?(.*)$/.exec(line) ?? [])
      const data = fields.flatMap(([, name, value]) => (name === "data" ? [value] : [])).join("\n")
      const event = fields.find(([, name]) => name === "event")?.[2]
      if (data !== "") yield { data, ...(event !== undefined && { event }) }
    }
  }
}

export default overHttp

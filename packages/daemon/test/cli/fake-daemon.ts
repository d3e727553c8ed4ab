import { errors, problemType } from "@sandbox-agent/schema/error"

export interface Seen {
  readonly method: string
  readonly path: string
  readonly headers: Headers
  readonly body: unknown
}

/** Real HTTP on a real port, answering what a test says. */
export function fakeDaemon(answer: (request: Seen) => Response | Promise<Response>) {
  const seen: Seen[] = []
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 0,
    async fetch(request) {
      const text = await request.text()
      const url = new URL(request.url)
      const one = {
        method: request.method,
        path: url.pathname + url.search,
        headers: request.headers,
        body: text ? JSON.parse(text) : undefined,
      }
      seen.push(one)
      return await answer(one)
    },
  })
  return { url: `http://127.0.0.1:${server.port}`, seen, [Symbol.asyncDispose]: () => server.stop(true) }
}

export const problem = (code: keyof typeof errors, detail: string, extra: Record<string, unknown> = {}): Response =>
  new Response(
    JSON.stringify({
      type: problemType(code),
      title: errors[code].title,
      status: errors[code].status,
      detail,
      ...extra,
    }),
    {
      status: errors[code].status,
      headers: { "content-type": "application/problem+json" },
    },
  )

let sequence = 0
/** One event of a session's log. */
export const event = (type: string, data: unknown, at = ++sequence) => ({
  event_id: `e${at}`,
  sequence: at,
  time: "2026-01-01T00:00:00Z",
  session_id: "s",
  source: "agent",
  synthetic: false,
  type,
  data,
})

export const sseText = (events: ReturnType<typeof event>[]): string =>
  events.map((e) => `id: ${e.sequence}\nevent: ${e.type}\ndata: ${JSON.stringify(e)}\n\n`).join("")

export const sse = (body: string | ReadableStream): Response =>
  new Response(body, { headers: { "content-type": "text/event-stream" } })

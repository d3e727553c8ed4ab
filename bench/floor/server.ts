// The floor: what the machine and the runtime allow. No log, no store, no schema, no token.
import { runFloorAgent } from "./agent.ts"
import { madeFrames, Relay } from "./relay.ts"

const sse = { headers: { "content-type": "text/event-stream" } }

const pathIn = ({ url }: Request): string => new URL(url).searchParams.get("path") ?? ""

async function* each(pages: Buffer[]): AsyncGenerator<Buffer> {
  yield* pages
}

function serve(port: number): void {
  const relay = new Relay()
  const made = new Map<number, Buffer[]>()
  let agent: Bun.Subprocess<"pipe", "pipe", "inherit"> | undefined

  // The agent starts with the first message, as a session's does: a start or an idle figure does not pay for it.
  const start = (): Bun.Subprocess<"pipe", "pipe", "inherit"> => {
    const self = Bun.main.startsWith("/$bunfs") ? [process.execPath] : [process.execPath, Bun.main]
    const child = Bun.spawn([...self, "agent"], { stdin: "pipe", stdout: "pipe", stderr: "inherit" })
    void pump(child.stdout)
    return child
  }
  const pump = async (output: ReadableStream<Uint8Array>): Promise<void> => {
    const decoder = new TextDecoder()
    let rest = ""
    for await (const bytes of output) {
      const text = rest + decoder.decode(bytes, { stream: true })
      const end = text.lastIndexOf("\n") + 1
      rest = text.slice(end)
      if (end > 0) relay.push(text.slice(0, end))
    }
  }

  const server = Bun.serve({
    port,
    hostname: "127.0.0.1",
    idleTimeout: 0,
    maxRequestBodySize: 1024 * 1024 * 1024,
    routes: {
      "/v1/health": () => Response.json({ status: "ok", version: "0", uptimeMs: Math.round(performance.now()) }),
      "/sequence": () => Response.json(relay.sequence),
      "/events": () => new Response(relay.read(), sse),
      "/frames/:count": (request) => {
        const count = Number(request.params.count)
        const pages = made.get(count) ?? madeFrames(count)
        made.set(count, pages)
        return new Response(each(pages), sse)
      },
      "/v1/fs/file": {
        GET: (request) => new Response(Bun.file(pathIn(request))),
        PUT: async (request) => {
          const writer = Bun.file(pathIn(request)).writer()
          for await (const chunk of request.body ?? []) {
            writer.write(chunk)
            await writer.flush()
          }
          await writer.end()
          return Response.json({})
        },
      },
      "/message": {
        POST: async (request) => {
          agent ??= start()
          agent.stdin.write(`${await request.text()}\n`)
          await agent.stdin.flush()
          return new Response(null, { status: 202 })
        },
      },
    },
  })
  console.log(`http://127.0.0.1:${server.port}`)
}

if (process.argv.includes("agent")) await runFloorAgent()
else serve(Number(process.env.FLOOR_PORT ?? 0))

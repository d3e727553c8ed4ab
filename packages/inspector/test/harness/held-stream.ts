import { createServer, request } from "node:http"

/** Stands in front of a daemon and keeps the events of its streams back from the first that `isHeld` on, until they are released. */
export async function startHeldStream(target: string, isHeld: (frame: string) => boolean) {
  const gate = Promise.withResolvers<void>()
  const server = createServer((incoming, answer) => {
    const { "accept-encoding": _, ...headers } = incoming.headers
    const onward = request(new URL(incoming.url ?? "/", target), { method: incoming.method, headers }, (got) => {
      answer.writeHead(got.statusCode ?? 500, got.headers)
      if (!String(got.headers["content-type"]).startsWith("text/event-stream")) return void got.pipe(answer)
      got.setEncoding("utf8")
      got.on("end", () => answer.end())
      let text = ""
      let before = Promise.resolve()
      got.on("data", (chunk: string) => {
        const frames = (text + chunk).split(/(?<=\n\n)/)
        text = frames.at(-1)?.endsWith("\n\n") ? "" : (frames.pop() ?? "")
        for (const frame of frames) {
          // In their order: what comes after one that waits, waits.
          if (isHeld(frame)) before = before.then(() => gate.promise)
          before = before.then(() => void answer.write(frame))
        }
      })
    })
    onward.on("error", () => answer.destroy())
    answer.on("close", () => onward.destroy())
    incoming.pipe(onward)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const address = server.address()
  const stop = () => {
    server.closeAllConnections()
    server.close()
  }
  return {
    baseUrl: `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`,
    release: gate.resolve,
    [Symbol.dispose]: stop,
  }
}

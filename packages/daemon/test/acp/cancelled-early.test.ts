import { expect, test } from "vitest"
import { startDaemon } from "../harness/daemon.ts"
import { text, Wire } from "./wire.ts"

/** A server of pictures that gives each when it is told to. */
function slowPictures() {
  const asked: { path: string; give(): void }[] = []
  let wake = () => {}
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: (request) =>
      new Promise((resolve) => {
        const give = () => resolve(new Response("picture", { headers: { "content-type": "image/png" } }))
        asked.push({ path: new URL(request.url).pathname, give })
        wake()
      }),
  })
  return {
    block: (name: string) => ({ type: "image", mimeType: "image/png", data: "", uri: `${server.url}${name}` }),
    async asked(name: string): Promise<{ give(): void }> {
      for (;;) {
        const found = asked.find(({ path }) => path === `/${name}`)
        if (found !== undefined) return found
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
    },
    [Symbol.asyncDispose]: () => server.stop(true),
  }
}

const notices = {
  "session/cancel": { sessionId: "one" },
  "$/cancel_request": { requestId: "early" },
}

test.each(Object.entries(notices))(
  "%s of a prompt whose attachments are on their way: it is answered at once, and nothing of it is sent",
  async (method, params) => {
    await using pictures = slowPictures()
    await using daemon = await startDaemon()
    const wire = new Wire(daemon)
    await wire.initialize()
    await wire.create("one")
    const prompt = (words: string, picture: string) => ({
      sessionId: "one",
      prompt: [...text(words), pictures.block(picture)],
    })
    const answer = wire.ask("session/prompt", prompt("never", "first"), "early")
    const first = await pictures.asked("first")
    expect((await wire.post({ jsonrpc: "2.0", method, params })).status).toBe(202)
    const answered = await Promise.race([answer, daemon.api.until("one", "turn.started")])
    expect(answered).toMatchObject({ result: { stopReason: "cancelled" } })
    // What was on its way arrives, and so does what is sent after it.
    first.give()
    const next = wire.ask("session/prompt", prompt("/echo next", "second"), "late")
    ;(await pictures.asked("second")).give()
    expect(await next).toMatchObject({ result: { stopReason: "end_turn" } })
    const { items } = await daemon.api.items("one")
    expect(JSON.stringify(items)).not.toContain("never")
    expect(items.filter(({ role }) => role === "user")).toHaveLength(1)
  },
)

import { afterEach, describe, expect, test } from "vitest"
import type { CallOptions } from "../src/acp-http-client.ts"
import { against, endAll, isPost, quick } from "./odd-client.ts"
import type { OddServer } from "./servers/odd-server.ts"

afterEach(endAll)

describe("abort at each stage", () => {
  test("before, at initialize, while the stream opens, while it is sent, while it runs", async () => {
    const gone = AbortSignal.abort()
    const aborted = { kind: "aborted", name: "AbortError" }
    /** Aborts the call when the server has seen so much of it. */
    const abortedAt = async (server: OddServer, what: string, call: (options: CallOptions) => Promise<unknown>) => {
      const abort = new AbortController()
      const failed = expect(call({ signal: abort.signal })).rejects.toMatchObject(aborted)
      await expect.poll(() => server.seen).toContain(what)
      abort.abort()
      await failed
    }
    const first = await against((request, _, body) => (isPost(request, body, "initialize") ? true : undefined))
    await expect(first.client.initialize({}, { signal: gone })).rejects.toMatchObject(aborted)
    expect(first.server.seen).toEqual([])
    await abortedAt(first.server, "POST initialize", (options) => first.client.initialize({}, options))

    const second = await against((request) => (request.method === "GET" ? true : undefined), {
      limits: { ...quick, readyMs: Number.POSITIVE_INFINITY },
    })
    await second.client.initialize()
    await abortedAt(second.server, "GET", (options) => second.client.listSessions({}, options))
    expect(second.server.seen).not.toContain("POST session/list")

    const third = await against((request, _, body) => (isPost(request, body, "session/list") ? true : undefined))
    await third.client.initialize()
    await abortedAt(third.server, "POST session/list", (options) => third.client.listSessions({}, options))
    await expect(third.client.notify("x", {}, { signal: gone })).rejects.toMatchObject(aborted)

    const fourth = await against(() => undefined)
    await fourth.client.initialize()
    await abortedAt(fourth.server, "POST session/list", (options) => fourth.client.listSessions({}, options))
    await expect.poll(() => fourth.server.seen).toContain("POST $/cancel_request")
  })

  test("close at each stage rejects what is open with closed", async () => {
    for (const [stage, seen] of [
      ["initialize", "POST initialize"],
      ["GET", "GET"],
      ["session/list", "POST session/list"],
      ["none", "POST session/list"],
    ] as const) {
      const { client, server } = await against((request, _, body) => {
        if (stage === "GET" && request.method === "GET") return true
        return request.method === "POST" && isPost(request, body, stage) ? true : undefined
      })
      const work = client.initialize().then(() => client.listSessions())
      work.catch(() => undefined)
      await expect.poll(() => server.seen).toContain(seen)
      await client.close()
      await expect(work, stage).rejects.toMatchObject({ kind: "closed" })
    }
  })

  test("the signal of the client closes it, that of a reader ends the reader", async () => {
    const abort = new AbortController()
    const { client } = await against(() => undefined, { signal: abort.signal })
    await client.initialize()
    const reading = new AbortController()
    const updates = client.updates("s", { signal: reading.signal })
    const next = updates.next()
    reading.abort()
    await expect(next).rejects.toMatchObject({ kind: "aborted" })
    abort.abort()
    expect(await client.closed).toBeUndefined()
  })

  test("close that the server refuses rejects, and is closed all the same", async () => {
    const { client } = await against((request, response) =>
      request.method === "DELETE" ? response.writeHead(500).end() : undefined,
    )
    await client.initialize()
    await expect(client.close()).rejects.toMatchObject({ kind: "http", status: 500 })
    await expect(client.listSessions()).rejects.toMatchObject({ kind: "closed" })
  })
})

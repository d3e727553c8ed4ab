import { afterEach, describe, expect, test } from "vitest"
import { against, endAll, isPost } from "./against.ts"

afterEach(endAll)

describe("abort at each stage", () => {
  test("before, at initialize, while the stream opens, while it is sent, while it runs", async () => {
    const gone = AbortSignal.abort()
    const late = () => {
      const abort = new AbortController()
      setTimeout(() => abort.abort(), 100)
      return { signal: abort.signal }
    }
    const aborted = { kind: "aborted", name: "AbortError" }
    const first = await against((request, _, body) => (isPost(request, body, "initialize") ? true : undefined))
    await expect(first.client.initialize({}, { signal: gone })).rejects.toMatchObject(aborted)
    expect(first.server.seen).toEqual([])
    await expect(first.client.initialize({}, late())).rejects.toMatchObject(aborted)

    const second = await against((request) => (request.method === "GET" ? true : undefined))
    await second.client.initialize()
    await expect(second.client.listSessions({}, late())).rejects.toMatchObject(aborted)
    expect(second.server.seen).not.toContain("POST session/list")

    const third = await against((request, _, body) => (isPost(request, body, "session/list") ? true : undefined))
    await third.client.initialize()
    await expect(third.client.listSessions({}, late())).rejects.toMatchObject(aborted)
    await expect(third.client.notify("x", {}, { signal: gone })).rejects.toMatchObject(aborted)

    const fourth = await against(() => undefined)
    await fourth.client.initialize()
    await expect(fourth.client.listSessions({}, late())).rejects.toMatchObject(aborted)
    await expect.poll(() => fourth.server.seen, { timeout: 30_000 }).toContain("POST $/cancel_request")
  })

  test("close at each stage rejects what is open with closed", async () => {
    for (const stage of ["initialize", "GET", "session/list", "none"]) {
      const { client } = await against((request, _, body) => {
        if (stage === "GET" && request.method === "GET") return true
        return request.method === "POST" && isPost(request, body, stage) ? true : undefined
      })
      const work = client.initialize().then(() => client.listSessions())
      work.catch(() => undefined)
      await new Promise((resolve) => setTimeout(resolve, 100))
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

import type { ServerResponse } from "node:http"
import { afterEach, describe, expect, test } from "vitest"
import { AcpHttpClient } from "../src/acp-http-client.ts"
import { against, endAll, ending, isPost, quick } from "./odd-client.ts"
import { overfill } from "./overfill.ts"
import { collect, promptOf } from "./reading.ts"
import { answer, type Odd, startOddServer } from "./servers/odd-server.ts"

afterEach(endAll)

describe("a POST that fails", () => {
  test.each([400, 401, 403, 404, 409, 410, 413, 415, 429, 500, 502, 503])(
    "%i rejects that request alone",
    async (status) => {
      const { client } = await against((request, response, body) => {
        if (!isPost(request, body, "session/list")) return
        return response.writeHead(status, { "retry-after": "7" }).end("because")
      })
      await client.initialize()
      const failed = client.listSessions()
      await expect(failed).rejects.toMatchObject({ kind: "http", status, body: "because", retryAfterMs: 7000 })
      await client.notify("_demo/still", {})
    },
  )

  test("an answer with every field written has its result, and `null` for an error is none", async () => {
    const { client } = await against((request, response, body) => {
      if (request.method !== "POST") return
      const { id, method } = JSON.parse(body)
      const result = method === "initialize" ? { protocolVersion: 1 } : { sessions: [] }
      response.writeHead(200, { "content-type": "application/json", "acp-connection-id": "c1" })
      return response.end(JSON.stringify({ jsonrpc: "2.0", id, result, error: null }))
    })
    expect(await client.initialize()).toEqual({ protocolVersion: 1 })
    expect(await client.listSessions()).toEqual({ sessions: [] })
  })

  test("an answer that leaves out what is `null` has that for its result, in a body and on a stream", async () => {
    const onStream = Promise.withResolvers<string>()
    const stream = Promise.withResolvers<ServerResponse>()
    const { client, problems } = await against(
      (request, response, body) => {
        if (request.method === "GET") {
          response.writeHead(200, { "content-type": "text/event-stream" }).write(":\n\n")
          stream.resolve(response)
          return true
        }
        if (request.method !== "POST") return
        const { id, method } = JSON.parse(body)
        if (method === "_demo/stream") onStream.resolve(`data: ${JSON.stringify({ jsonrpc: "2.0", id })}\n\n`)
        if (method !== "_demo/body") return
        return response
          .writeHead(200, { "content-type": "application/json" })
          .end(JSON.stringify({ jsonrpc: "2.0", id }))
      },
      { transport: "headerless" },
    )
    await client.initialize()
    expect(await client.extMethod("_demo/body")).toBeNull()
    const asked = client.extMethod("_demo/stream")
    const [events, told] = await Promise.all([stream.promise, onStream.promise])
    events.write(told)
    expect(await asked).toBeNull()
    // Nobody waits for it any more.
    events.write(told)
    await expect.poll(() => problems.map(({ kind }) => kind)).toEqual(["protocol"])
  })

  test("refused at initialize: the error says so, and initialize can be tried again", async () => {
    let refusals = 1
    const { client } = await against((request, response, body) => {
      if (!isPost(request, body, "initialize") || refusals-- <= 0) return
      return response.writeHead(401).end("who are you")
    })
    await expect(client.initialize()).rejects.toMatchObject({ kind: "http", status: 401 })
    await expect(client.listSessions()).rejects.toMatchObject({ kind: "state" })
    expect(await client.initialize()).toEqual({ protocolVersion: 1 })
  })

  overfill(["errorBodyChars"], "a long refusal is cut", async () => {
    const { client } = await against((request, response, body) =>
      isPost(request, body, "initialize") ? response.writeHead(500).end("x".repeat(1_000_000)) : undefined,
    )
    const error = await client.initialize().catch((failed) => failed)
    expect(error.body).toHaveLength(8 * 1024)
  })

  test("nobody listens", async () => {
    const gone = await startOddServer(() => undefined)
    gone.stop()
    const client = new AcpHttpClient({ url: gone.url })
    await expect(client.initialize()).rejects.toMatchObject({ kind: "network" })
    await client.close()
  })

  test("the connection breaks before the answer", async () => {
    const { client } = await against((request, response, body) => {
      if (!isPost(request, body, "session/list")) return
      return response.destroy()
    })
    await client.initialize()
    await expect(client.listSessions()).rejects.toMatchObject({ kind: "network" })
  })

  overfill(
    ["acceptMs", "initializeMs"],
    "nothing is answered in time: accepting, and initialize with its body",
    async () => {
      const silent = await against((request, _, body) => (isPost(request, body, "session/list") ? true : undefined), {
        limits: { ...quick, acceptMs: 200 },
      })
      await silent.client.initialize()
      await expect(silent.client.listSessions()).rejects.toMatchObject({ kind: "timeout" })
      const half = await against(halfAnswered, { limits: { ...quick, initializeMs: 200 } })
      await expect(half.client.initialize()).rejects.toMatchObject({ kind: "timeout" })
    },
  )

  const halfAnswered: Odd = (request, response, body) => {
    if (!isPost(request, body, "initialize")) return
    response.writeHead(200, { "content-type": "application/json", "acp-connection-id": "c" })
    return response.write('{"jsonrpc"')
  }

  test("initialize that fails when the connection is made already ends it", async () => {
    const abort = new AbortController()
    const { client, server } = await against(halfAnswered, {
      fetch: async (url, init) => {
        const response = await fetch(url, init)
        // When this is handed on, the client knows the connection and waits for the rest of the answer.
        if (init?.method === "POST") setTimeout(() => abort.abort(), 0)
        return response
      },
    })
    await expect(client.initialize({}, { signal: abort.signal })).rejects.toMatchObject({ kind: "aborted" })
    await expect.poll(() => server.seen).toContain("DELETE")
  })

  test.each([
    ["not JSON", "application/json", "{nope"],
    ["not JSON-RPC", "application/json", '{"hello":1}'],
    ["a batch", "application/json", "[]"],
    ["for another request", "application/json", '{"jsonrpc":"2.0","id":"x","result":{}}'],
    ["a web page", "text/html", "<html>"],
  ])("an answer that is %s", async (_, type, text) => {
    const { client } = await against((request, response, body) => {
      if (!isPost(request, body, "initialize")) return
      return response.writeHead(200, { "content-type": type }).end(text)
    })
    await expect(client.initialize()).rejects.toMatchObject({ kind: "protocol" })
  })

  overfill(["messageChars"], "an answer that is too large", async () => {
    const { client } = await against(
      (request, response, body) =>
        isPost(request, body, "initialize") ? answer(response, body, { text: "x".repeat(5000) }) : undefined,
      { limits: { ...quick, messageChars: 4000 } },
    )
    await expect(client.initialize()).rejects.toMatchObject({ kind: "too_large" })
  })

  test("headers that cannot be had, params that are no JSON", async () => {
    const { client } = await against(() => undefined, {
      headers: () => Promise.reject(new Error("no token")),
    })
    await expect(client.initialize()).rejects.toMatchObject({ kind: "network", cause: { message: "no token" } })
    const other = await against(() => undefined)
    await other.client.initialize()
    await expect(other.client.extMethod("_demo/big", { n: 1n })).rejects.toMatchObject({ kind: "protocol" })
  })
})

describe("a stream that cannot be had", () => {
  const opening = (what: Odd) =>
    against((request, response, body) => (request.method === "GET" ? what(request, response, body) : undefined), {
      limits: { ...quick, readyMs: Number.POSITIVE_INFINITY },
    })

  test.each([401, 403, 404, 410, 406])("%i ends the connection: what waits for it rejects", async (status) => {
    const { client } = await opening((_, response) => response.writeHead(status).end())
    await client.initialize()
    await expect(client.listSessions()).rejects.toMatchObject({ kind: "http", status })
    expect(await client.closed).toMatchObject({ kind: "http", status })
  })

  test.each([409, 429, 500, 503])("%i is tried again", async (status) => {
    let refusals = 2
    const { client } = await opening((_, response) => (refusals-- > 0 ? response.writeHead(status).end() : undefined))
    await client.initialize()
    await client.notify("_demo/hi", {})
    expect(refusals).toBeLessThan(0)
  })

  overfill(["reconnectAttempts"], "500 for good is given up", async () => {
    const { client, server } = await opening((_, response) => response.writeHead(500).end())
    await client.initialize()
    await expect(client.listSessions()).rejects.toMatchObject({ kind: "lost", cause: { kind: "http", status: 500 } })
    expect(server.seen.filter((what) => what === "GET")).toHaveLength(quick.reconnectAttempts)
  })

  test("a server that only accepts and closes is given up too", async () => {
    const { client } = await opening((_, response) =>
      response.writeHead(200, { "content-type": "text/event-stream" }).end(),
    )
    await client.initialize()
    expect(await client.closed).toMatchObject({ kind: "lost" })
  })

  test("the wrong content type", async () => {
    const { client } = await opening((_, response) =>
      response.writeHead(200, { "content-type": "text/html" }).end("<html>"),
    )
    await client.initialize()
    expect(await client.closed).toMatchObject({ kind: "protocol" })
  })

  overfill(["messageChars"], "a message that is too large ends the connection, with its name", async () => {
    const { client } = await against(
      (request, response) => {
        if (request.method !== "GET") return
        response.writeHead(200, { "content-type": "text/event-stream" })
        return response.write(`data: ${"x".repeat(5000)}\n\n`)
      },
      { limits: { ...quick, messageChars: 4000 } },
    )
    await client.initialize()
    expect(await client.closed).toMatchObject({ kind: "too_large" })
    await expect(client.listSessions()).rejects.toMatchObject({ kind: "too_large" })
  })

  test("bad messages are told and passed over", async () => {
    const { client, problems } = await opening((_, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" })
      const good = JSON.stringify({ jsonrpc: "2.0", method: "session/update", params: { sessionId: "s", update: {} } })
      const bad = ["{nope", "[]", "1", '{"jsonrpc":"1.0","method":"x"}', '{"jsonrpc":"2.0","id":1}']
      return response.write(
        `${bad.map((data) => `data: ${data}\n\n`).join("")}event: ping\ndata: {}\n\ndata: ${good}\n\n`,
      )
    })
    const updates = client.updates("s")
    await client.initialize()
    await collect(updates, 1)
    expect(problems.map(({ kind }) => kind)).toEqual(Array.from({ length: 5 }, () => "protocol"))
  })

  overfill(["readyMs"], "a stream that shows nothing yet does not hold messages back", async () => {
    const server = await startOddServer((request) => (request.method === "GET" ? true : undefined))
    const client = new AcpHttpClient({ url: server.url, limits: { ...quick, readyMs: 100 } })
    ending.push(server.stop, () => client.close().catch(() => undefined))
    await client.initialize()
    await client.notify("session/cancel", { sessionId: "s" })
    expect(server.seen).toContain("POST session/cancel")
  })

  test("one session's refusal leaves the others alone", async () => {
    const { client } = await opening((request, response) =>
      request.headers["acp-session-id"] === "bad" ? response.writeHead(403).end() : undefined,
    )
    await client.initialize()
    await expect(client.prompt(promptOf("bad", "say"))).rejects.toMatchObject({ kind: "http", status: 403 })
    await client.notify("session/cancel", { sessionId: "good" })
  })

  test("a session the server does not know yet can still be loaded", async () => {
    let known = false
    const { client } = await against((request, response, body) => {
      if (request.method === "GET" && request.headers["acp-session-id"] !== undefined && !known)
        return response.writeHead(403).end()
      if (!isPost(request, body, "session/load")) return
      known = true
      return answer(response, body, {})
    })
    await client.initialize()
    await client.loadSession({ sessionId: "old", cwd: "/", mcpServers: [] })
    await client.notify("session/cancel", { sessionId: "old" })
  })
})

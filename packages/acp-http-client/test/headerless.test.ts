import type { ServerResponse } from "node:http"
import { afterEach, describe, expect, test } from "vitest"
import { AcpHttpClient } from "../src/acp-http-client.ts"
import { collect, promptOf, textOf } from "./reading.ts"
import { type LogServerOptions, startLogServer } from "./servers/log-server.ts"
import { startOddServer } from "./servers/odd-server.ts"

const ending: (() => unknown)[] = []
afterEach(async () => {
  for (const end of ending.splice(0).reverse()) await end()
})

async function session(options: LogServerOptions) {
  const server = await startLogServer(options)
  // What is said before its stream is open would not come again.
  const client = new AcpHttpClient({ url: server.url, limits: { readyMs: Number.POSITIVE_INFINITY } })
  ending.push(server.stop, () => client.close())
  await client.initialize()
  return { server, client, sessionId: (await client.newSession({ cwd: "/", mcpServers: [] })).sessionId }
}

describe("a server without connection ids", () => {
  test.each([
    ["answers on the stream", { form: "headerless" }],
    ["answers in the body and on the stream", { form: "headerless", answersInBody: true }],
  ] as [string, LogServerOptions][])("%s", async (_, options) => {
    const { client, sessionId, server } = await session(options)
    const updates = client.updates(sessionId)
    expect(await client.prompt(promptOf(sessionId, "say 10"))).toEqual({ stopReason: "end_turn" })
    expect((await collect(updates, 10)).map(textOf)).toEqual(Array.from({ length: 10 }, (__, at) => `${at}`))
    // One stream for all sessions.
    expect(server.seen.openings).toHaveLength(1)
  })

  test("a permission is answered while its prompt is held", async () => {
    const server = await startLogServer({ form: "headerless", answersInBody: true })
    const handlers = { "session/request_permission": () => ({ outcome: { outcome: "cancelled" as const } }) }
    const client = new AcpHttpClient({ url: server.url, handlers })
    ending.push(server.stop, () => client.close())
    await client.initialize()
    const { sessionId } = await client.newSession({ cwd: "/", mcpServers: [] })
    expect(await client.prompt(promptOf(sessionId, "ask"))).toEqual({ stopReason: "end_turn" })
    expect(server.seen.answers).toHaveLength(1)
  })

  test("no stream at all: answers in bodies", async () => {
    const { client, sessionId } = await session({ form: "body" })
    expect(await client.prompt(promptOf(sessionId, "say 1"))).toEqual({ stopReason: "end_turn" })
    expect(await client.extMethod("_demo/x")).toMatchObject({ method: "_demo/x" })
  })

  test("two clients of one stream do not take each other's answers", async () => {
    const one = await session({ form: "headerless", answersInBody: true })
    const other = new AcpHttpClient({ url: one.server.url })
    ending.push(() => other.close())
    await other.initialize()
    const made = await Promise.all(
      Array.from({ length: 10 }, (_, at) => (at % 2 ? one.client : other).newSession({ cwd: "/", mcpServers: [] })),
    )
    expect(new Set(made.map(({ sessionId }) => sessionId)).size).toBe(10)
  })

  test("a body that breaks after the request was accepted: the answer is taken from the stream, or given up", async () => {
    let stream: ServerResponse | undefined
    let begun = Promise.withResolvers<void>()
    const server = await startOddServer((request, response, body) => {
      if (request.method === "GET") {
        stream = response
        response.writeHead(200, { "content-type": "text/event-stream" })
        return response.write(":\n\n")
      }
      if (request.method === "DELETE") return undefined
      const { id, method } = JSON.parse(body)
      response.writeHead(200, { "content-type": "application/json" })
      if (method === "initialize") return response.end(JSON.stringify({ jsonrpc: "2.0", id, result: {} }))
      // White space keeps a long answer alive; then the line breaks.
      response.write("  ")
      const answer = `data: ${JSON.stringify({ jsonrpc: "2.0", id, result: { sessions: [] } })}\n\n`
      // After the body has begun for the client as well: broken before, the request was not accepted.
      return begun.promise.then(() => {
        response.destroy()
        if (method === "session/list") setTimeout(() => stream?.write(answer), 100)
      })
    })
    const initialized = async (lostAnswerMs: number) => {
      begun = Promise.withResolvers()
      const client = new AcpHttpClient({
        url: server.url,
        limits: { lostAnswerMs },
        fetch: async (url, init) => {
          const response = await fetch(url, init)
          if (init?.method === "POST" && !`${init.body}`.includes('"initialize"')) begun.resolve()
          return response
        },
      })
      ending.push(() => client.close())
      await client.initialize()
      return client
    }
    ending.push(server.stop)
    const patient = await initialized(Number.POSITIVE_INFINITY)
    expect(await patient.listSessions()).toEqual({ sessions: [] })
    const hasty = await initialized(200)
    await expect(hasty.extMethod("_demo/none")).rejects.toMatchObject({ kind: "answer_lost" })
  })

  test("initialize answered on the stream", async () => {
    let initialize = ""
    const server = await startOddServer((request, response, body) => {
      if (body.includes('"initialize"')) {
        initialize = body
        return response.writeHead(202).end()
      }
      if (request.method !== "GET") return undefined
      response.writeHead(200, { "content-type": "text/event-stream" })
      const result = { protocolVersion: 1 }
      return response.write(`data: ${JSON.stringify({ jsonrpc: "2.0", id: JSON.parse(initialize).id, result })}\n\n`)
    })
    const client = new AcpHttpClient({ url: server.url })
    ending.push(server.stop, () => client.close())
    expect(await client.initialize()).toEqual({ protocolVersion: 1 })
  })

  test("a cookie of the server comes back, until it is taken away", async () => {
    const cookies: (string | undefined)[] = []
    let set = "lb=a; Path=/; HttpOnly"
    const server = await startOddServer((request, response) => {
      cookies.push(request.headers.cookie)
      response.setHeader("set-cookie", set)
      return undefined
    })
    const client = new AcpHttpClient({ url: server.url })
    ending.push(server.stop, () => client.close())
    await client.initialize()
    await client.notify("_demo/one", {})
    set = "lb=; Max-Age=0"
    await client.notify("_demo/two", {})
    await client.notify("_demo/three", {})
    expect([cookies[0], cookies.at(-2), cookies.at(-1)]).toEqual([undefined, "lb=a", undefined])
  })

  test("headers are asked for each request", async () => {
    const tokens: (string | undefined)[] = []
    const server = await startOddServer((request) => {
      tokens.push(request.headers.authorization)
      return undefined
    })
    let count = 0
    const client = new AcpHttpClient({ url: server.url, headers: async () => ({ authorization: `Bearer ${++count}` }) })
    ending.push(server.stop, () => client.close())
    await client.initialize()
    await client.notify("_demo/one", {})
    expect(new Set(tokens).size).toBe(tokens.length)
    expect(tokens[0]).toBe("Bearer 1")
  })
})

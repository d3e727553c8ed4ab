import { afterEach, describe, expect, test } from "vitest"
import { type AcpHttpClientOptions, AcpRpcError } from "../src/acp-http-client.ts"
import { against, endAll, quick } from "./odd-client.ts"
import { overfill } from "./overfill.ts"
import type { Odd } from "./servers/odd-server.ts"

afterEach(endAll)

describe("answers to the agent", () => {
  const asking = (odd: Odd, options: Partial<AcpHttpClientOptions>) =>
    against((request, response, body) => {
      if (request.method !== "GET") return odd(request, response, body)
      response.writeHead(200, { "content-type": "text/event-stream" })
      const ask = {
        jsonrpc: "2.0",
        id: 0,
        method: "session/request_permission",
        params: { sessionId: "s", options: [] },
      }
      return response.write(`data: ${JSON.stringify(ask)}\n\n`.repeat(3))
    }, options)
  const handled = () => {
    let times = 0
    const handlers = {
      "session/request_permission": () => {
        times++
        return { outcome: { outcome: "cancelled" as const } }
      },
    }
    return { handlers, times: () => times }
  }

  test("sent three times it is handled once; an answer that was not taken is sent again", async () => {
    const { handlers, times } = handled()
    let refusals = 2
    const { client, server } = await asking(
      (_, response, body) =>
        body !== "" && JSON.parse(body).method === undefined && refusals-- > 0
          ? response.writeHead(503).end()
          : undefined,
      { handlers },
    )
    await client.initialize()
    const answers = () => server.seen.filter((what) => what === "POST answer").length
    await expect.poll(answers, { timeout: 30_000 }).toBeGreaterThanOrEqual(3)
    expect(times()).toBe(1)
  })

  test("sent again while its answer is on the way, it is answered twice, and both name its session", async () => {
    const named: unknown[] = []
    const again = Promise.withResolvers<void>()
    let came = 0
    const ask = { jsonrpc: "2.0", id: 0, method: "_demo/ask" }
    let stream: { write(text: string): unknown } | undefined
    const { client, problems } = await against(
      (request, response, body) => {
        if (request.method === "GET") {
          if (request.headers["acp-session-id"] === undefined) return undefined
          response.writeHead(200, { "content-type": "text/event-stream" })
          stream = response
          return response.write(`data: ${JSON.stringify(ask)}\n\n`)
        }
        if (body === "" || JSON.parse(body).method !== undefined) return undefined
        if (named.push(request.headers["acp-session-id"]) > 1) return undefined
        // The first one is refused when the same request has come once more: then two are on their way.
        stream?.write(`data: ${JSON.stringify(ask)}\n\n`)
        return again.promise.then(() => response.writeHead(503).end())
      },
      {
        handlers: { "_demo/ask": () => ({}) },
        onEnvelope: (envelope) => {
          if ("method" in envelope && envelope.method === ask.method && ++came === 2) again.resolve()
        },
      },
    )
    await client.initialize()
    await client.notify("session/cancel", { sessionId: "s" })
    await expect.poll(() => named.length, { timeout: 30_000 }).toBe(3)
    expect(named).toEqual(["s", "s", "s"])
    expect(problems).toEqual([])
  })

  test("an answer that nobody takes is told", async () => {
    const { client, problems } = await asking(
      (_, response, body) =>
        body !== "" && JSON.parse(body).method === undefined ? response.writeHead(500).end() : undefined,
      handled(),
    )
    await client.initialize()
    await expect.poll(() => problems[0], { timeout: 30_000 }).toMatchObject({ kind: "http", status: 500 })
  })

  test("a listener that throws ends nothing", async () => {
    const { handlers, times } = handled()
    const { client, problems } = await asking(() => undefined, {
      handlers,
      onEnvelope: () => {
        throw new Error("listener")
      },
    })
    await client.initialize()
    await expect.poll(times, { timeout: 30_000 }).toBe(1)
    expect(problems[0]).toMatchObject({ kind: "protocol", cause: { message: "listener" } })
  })
})

describe("bounds", () => {
  /** Sends these requests of the agent on the connection's stream. */
  const asks = (requests: object[], options: Partial<AcpHttpClientOptions>) => {
    const answers: { id: number; result?: unknown; error?: { code: number } }[] = []
    const server = against((request, response, body) => {
      if (body !== "" && JSON.parse(body).method === undefined) answers.push(JSON.parse(body))
      if (request.method !== "GET") return undefined
      response.writeHead(200, { "content-type": "text/event-stream" })
      return response.write(requests.map((ask) => `data: ${JSON.stringify({ jsonrpc: "2.0", ...ask })}\n\n`).join(""))
    }, options)
    return { server, answers }
  }

  overfill(["openAgentRequests"], "more requests at once than may be open are refused", async () => {
    const requests = [1, 2, 3].map((id) => ({ id, method: "_demo/ask", params: { id } }))
    const { server, answers } = asks(requests, {
      limits: { ...quick, openAgentRequests: 2 },
      handlers: { "_demo/ask": () => new Promise(() => undefined) },
    })
    await (await server).client.initialize()
    await expect.poll(() => answers, { timeout: 30_000 }).toMatchObject([{ id: 3, error: { code: -32603 } }])
  })

  overfill(
    ["rememberedAgentRequests"],
    "only so many answered requests are remembered; those are answered again, not handled",
    async () => {
      const requests = [1, 2, 3, 3, 1].map((id) => ({ id, method: "_demo/ask", params: { id } }))
      const handled: unknown[] = []
      const { server, answers } = asks(requests, {
        limits: { ...quick, rememberedAgentRequests: 2 },
        handlers: {
          "*": (params) => {
            handled.push(params)
            throw new AcpRpcError(1, "no")
          },
        },
      })
      await (await server).client.initialize()
      await expect.poll(() => answers.length, { timeout: 30_000 }).toBe(5)
      // 3 is known when it comes again; 1 was forgotten for it.
      expect(handled).toEqual([{ id: 1 }, { id: 2 }, { id: 3 }, { id: 1 }])
      expect(answers.filter(({ id }) => id === 3)).toHaveLength(2)
    },
  )

  test("the same id with another question is another request", async () => {
    const requests = ["a", "b"].map((word) => ({ id: 0, method: "_demo/ask", params: { word } }))
    const handled: unknown[] = []
    const { server } = asks(requests, { handlers: { "_demo/ask": (params) => handled.push(params) } })
    await (await server).client.initialize()
    await expect.poll(() => handled, { timeout: 30_000 }).toEqual([{ word: "a" }, { word: "b" }])
  })
})

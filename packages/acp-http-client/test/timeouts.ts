import { afterEach, describe, expect } from "vitest"
import { AcpHttpClient, type Limits, type StreamState } from "../src/acp-http-client.ts"
import { maxRoutes } from "../src/limits.ts"
import { against, endAll, ending, quick } from "./odd-client.ts"
import { overfill } from "./overfill.ts"
import { promptOf } from "./reading.ts"
import { type Odd, startOddServer } from "./servers/odd-server.ts"
import { startSdkServer } from "./servers/process.ts"
import { startProxy } from "./servers/proxy.ts"

afterEach(endAll)

/** And what the client has tried: given up by time, it may not have reached the server. */
async function counted(odd: Odd, limits: Partial<Limits>) {
  const tried: unknown[] = []
  const made = await against(odd, {
    limits: { ...quick, ...limits },
    fetch: (url, init) => {
      tried.push(init?.method)
      return fetch(url, init)
    },
  })
  return { ...made, tried }
}

describe("how long is waited, and how often is tried", () => {
  overfill(["closeMs"], "a server that never acknowledges the end", async () => {
    const { client, tried } = await counted((request) => (request.method === "DELETE" ? true : undefined), {
      closeMs: 200,
    })
    await client.initialize()
    await expect(client.close()).rejects.toMatchObject({ kind: "timeout", message: expect.stringContaining("Closing") })
    expect(tried).toContain("DELETE")
    // The client is over all the same.
    expect(await client.closed).toBeUndefined()
    await expect(client.listSessions()).rejects.toMatchObject({ kind: "closed" })
  })

  /** A stream that opens, may say something once, and is silent. */
  const silent = async (hello: string, limits: object) => {
    const states: StreamState[] = []
    let openings = 0
    const { client } = await against(
      (request, response) => {
        if (request.method !== "GET") return undefined
        openings++
        response.writeHead(200, { "content-type": "text/event-stream" })
        return response.write(hello)
      },
      { limits: { ...quick, ...limits }, onStream: (state) => states.push(state) },
    )
    await client.initialize()
    await expect.poll(() => openings, { timeout: 30_000 }).toBeGreaterThan(1)
    return states.find(({ state }) => state === "reconnecting")?.error
  }

  overfill(["silenceMs"], "a stream without keep-alives that says nothing is opened again", async () => {
    const error = await silent("retry: 5\n\n", { silenceMs: 200 })
    expect(error).toMatchObject({ kind: "timeout", message: expect.stringContaining("for 200 ms") })
  })

  overfill(["stallMs"], "one that has shown keep-alives sooner", async () => {
    const error = await silent(": keep-alive\n\n", { stallMs: 250, silenceMs: 600_000 })
    expect(error).toMatchObject({ kind: "timeout", message: expect.stringContaining("for 250 ms") })
  })

  overfill(["openMs"], "a stream whose answer never begins is tried again, and given up by attempts", async () => {
    const { client, tried } = await counted((request) => (request.method === "GET" ? true : undefined), { openMs: 100 })
    await client.initialize()
    expect(await client.closed).toMatchObject({ kind: "lost", cause: { kind: "timeout" } })
    expect(tried.filter((method) => method === "GET")).toHaveLength(quick.reconnectAttempts)
  })

  overfill(
    ["reconnectMinMs", "reconnectMaxMs"],
    "pauses grow, up to the longest, also when the server asks for more",
    async () => {
      const pauses = async (limits: object, headers: Record<string, string> = {}) => {
        const delays: number[] = []
        const { client } = await against(
          (request, response) => (request.method === "GET" ? response.writeHead(503, headers).end() : undefined),
          { limits: { ...quick, ...limits }, onStream: ({ delayMs }) => delayMs !== undefined && delays.push(delayMs) },
        )
        await client.initialize()
        await client.closed
        return delays
      }
      const grown = await pauses({ reconnectMinMs: 8, reconnectMaxMs: 20, reconnectAttempts: 8 })
      expect(grown).toHaveLength(7)
      expect(Math.max(...grown)).toBeLessThanOrEqual(20)
      expect(Math.min(...grown)).toBeGreaterThanOrEqual(8)
      expect(Math.max(...grown)).toBeGreaterThanOrEqual(10)
      expect(await pauses({ reconnectMaxMs: 30 }, { "retry-after": "3600" })).toEqual([30, 30])
    },
  )

  overfill(["answerAttempts"], "an answer is tried so often and no more", async () => {
    const ask = { jsonrpc: "2.0", id: 0, method: "_demo/ask", params: {} }
    const { client, server, problems } = await against(
      (request, response, body) => {
        if (request.method === "POST" && JSON.parse(body).method === undefined) return response.writeHead(503).end()
        if (request.method !== "GET") return undefined
        response.writeHead(200, { "content-type": "text/event-stream" })
        return response.write(`data: ${JSON.stringify(ask)}\n\n`)
      },
      { limits: { ...quick, answerAttempts: 5 }, handlers: { "_demo/ask": () => ({}) } },
    )
    await client.initialize()
    await expect.poll(() => problems[0], { timeout: 30_000 }).toMatchObject({ kind: "http", status: 503 })
    expect(server.seen.filter((what) => what === "POST answer")).toHaveLength(5)
  })

  overfill(["heldMs"], "a held request of a server that has fallen silent is given up", async () => {
    const server = await startOddServer((request, response, body) => {
      if (request.method === "GET") return undefined
      if (body.includes('"initialize"')) {
        response.writeHead(200, { "content-type": "application/json" })
        return response.end(JSON.stringify({ jsonrpc: "2.0", id: JSON.parse(body).id, result: { protocolVersion: 1 } }))
      }
      return body.includes("session/list") ? true : undefined
    })
    const client = new AcpHttpClient({ url: server.url, limits: { heldMs: 300 } })
    ending.push(server.stop, () => client.close())
    await client.initialize()
    await expect(client.listSessions()).rejects.toMatchObject({ kind: "timeout" })
  })

  overfill(
    ["lostAnswerMs"],
    "on a server without ids an answer that never comes after a break is given up",
    async () => {
      const server = await startSdkServer()
      const proxy = await startProxy(server.url)
      const client = new AcpHttpClient({
        url: proxy.url,
        limits: { ...quick, reconnectAttempts: 200, lostAnswerMs: 1_500 },
      })
      ending.push(server.stop, proxy.stop, () => client.close().catch(() => undefined))
      await client.initialize()
      const { sessionId } = await client.newSession({ cwd: "/", mcpServers: [] })
      const silent = client.prompt(promptOf(sessionId, "wait"))
      const given = expect(silent).rejects.toMatchObject({ kind: "answer_lost" })
      // The server has taken the prompt: the cut does not hit it.
      await client.extNotification("_demo/after", { sessionId })
      proxy.cutAll()
      await given
    },
  )
})

overfill(
  ["maxRoutes"],
  "the session of the oldest open request is forgotten, that of the others is named with their answers",
  async () => {
    const headers = new Map<number, string | undefined>()
    let came = 0
    const { client } = await against(
      (request, response, body) => {
        if (request.method === "POST" && JSON.parse(body).method === undefined)
          headers.set(JSON.parse(body).id, request.headers["acp-session-id"] as string | undefined)
        if (request.method !== "GET" || request.headers["acp-session-id"] === undefined) return undefined
        response.writeHead(200, { "content-type": "text/event-stream" })
        const asks = Array.from({ length: maxRoutes + 1 }, (_, id) => ({ jsonrpc: "2.0", id, method: "_demo/ask" }))
        return response.write(asks.map((ask) => `data: ${JSON.stringify(ask)}\n\n`).join(""))
      },
      { handlers: "manual", onEnvelope: (_, direction) => void (direction === "inbound" && came++) },
    )
    await client.initialize()
    await client.notify("session/cancel", { sessionId: "s" })
    // The answer to `initialize` is one of them.
    await expect.poll(() => came, { timeout: 30_000 }).toBe(maxRoutes + 2)
    for (const id of [0, 1, maxRoutes]) await client.send({ jsonrpc: "2.0", id, result: {} })
    expect([...headers]).toEqual([
      [0, undefined],
      [1, "s"],
      [maxRoutes, "s"],
    ])
  },
)

import { rounds } from "@sandbox-agent/test-agents/extent"
import { keptPort } from "@sandbox-agent/test-agents/kept-port"
import { afterEach, describe, expect, test } from "vitest"
import { AcpError, AcpHttpClient, type AcpHttpClientOptions } from "../src/acp-http-client.ts"
import { collect, insist, promptOf, textOf } from "./reading.ts"
import { type LogServerOptions, startLogServer } from "./servers/log-server.ts"
import { startSdkServer } from "./servers/process.ts"
import { type Line, startProxy } from "./servers/proxy.ts"
import { random } from "./servers/random.ts"

const ending: (() => unknown)[] = []
afterEach(async () => {
  for (const end of ending.splice(0).reverse()) await end()
})

const CUTS = rounds(60, 200)
// Readers here take once a prompt is answered: it does not wait for them.
const quick = { reconnectMinMs: 2, reconnectMaxMs: 20, reconnectAttempts: 200, answerAttempts: 200, readersBehindMs: 0 }

async function broken(options: LogServerOptions = {}) {
  const server = await startLogServer(options)
  const proxy = await startProxy(server.url)
  ending.push(server.stop, proxy.stop)
  return { server, proxy }
}

async function session(url: string, options: Partial<AcpHttpClientOptions> = {}) {
  const client = new AcpHttpClient({ url, limits: quick, ...options })
  ending.push(() => client.close().catch(() => undefined))
  await insist(() => client.initialize())
  return { client, sessionId: (await insist(() => client.newSession({ cwd: "/", mcpServers: [] }))).sessionId }
}

/** Resolves when the server has taken what was sent for the session before: a cut hits it no more. */
const accepted = (client: AcpHttpClient, sessionId: string) => client.extNotification("_demo/after", { sessionId })

/** Some connections live, most are cut at any byte. */
function cutting(proxy: Line, seed: number) {
  const next = random(seed)
  proxy.allowance = () => (next() < 0.3 ? undefined : Math.floor(next() ** 2 * 3000))
}

describe("a stream that breaks", () => {
  test.each(["official", "headerless"] as const)(
    `cut ${CUTS} times, the %s form loses and repeats nothing`,
    async (form) => {
      const { server, proxy } = await broken({ form })
      const next = random(7)
      let clients = 0
      while (proxy.cuts < CUTS) {
        clients++
        proxy.allowance = () => undefined
        // Connections kept from before would be cut, and a stream without a place yet would begin at another one.
        proxy.cutAll()
        let handled = 0
        const { client, sessionId } = await session(proxy.url, {
          handlers: {
            "session/request_permission": (_, { method }) => {
              handled++
              return { outcome: { outcome: "selected", optionId: method } }
            },
          },
        })
        const updates = client.updates(sessionId)
        cutting(proxy, Math.floor(next() * 2 ** 31))
        proxy.cutAll()
        let tag = "a"
        const turn = insist(() => {
          tag = `${tag}a`
          return client.prompt(promptOf(sessionId, `say 40 ${tag}`))
        })
        expect(await turn).toEqual({ stopReason: "end_turn" })
        proxy.allowance = () => undefined
        // A prompt whose POST was cut may run as well; the one that was answered has come whole, before its answer.
        const came = (await drain(updates)).filter((words) => words.startsWith(tag) && /^a+\d+$/.test(words))
        expect(came).toEqual(Array.from({ length: 40 }, (_, at) => `${tag}${at}`))
        const before = server.seen.methods.filter((method) => method === "session/prompt").length
        cutting(proxy, Math.floor(next() * 2 ** 31))
        await insist(() => client.prompt(promptOf(sessionId, "ask")))
        const asked = server.seen.methods.filter((method) => method === "session/prompt").length - before
        expect(handled).toBeGreaterThanOrEqual(1)
        expect(handled).toBeLessThanOrEqual(asked)
        proxy.allowance = () => undefined
        await client.close()
      }
      expect(clients).toBeGreaterThan(1)
    },
    300_000,
  )

  test("an open request survives; the stream goes on after the last event", async () => {
    const { server, proxy } = await broken()
    const states: string[] = []
    const { client, sessionId } = await session(proxy.url, { onStream: ({ state }) => states.push(state) })
    await client.prompt(promptOf(sessionId, "say 3"))
    const updates = client.updates(sessionId)
    const turn = client.prompt(promptOf(sessionId, "half 2000"))
    await accepted(client, sessionId)
    await collect(updates, 5)
    proxy.cutAll()
    const rest = collect(updates, 1995)
    expect(await turn).toEqual({ stopReason: "end_turn" })
    expect((await rest).map(textOf).at(-1)).toBe("1999")
    expect(server.seen.openings.some((last) => Number(last) > 4)).toBe(true)
    expect(states).toContain("reconnecting")
  })

  test("a server that sends everything again is not heard twice", async () => {
    const { proxy } = await broken({ forgetful: true })
    let handled = 0
    const { client, sessionId } = await session(proxy.url, {
      handlers: {
        "session/request_permission": () => {
          handled++
          return { outcome: { outcome: "cancelled" } }
        },
      },
    })
    const updates = client.updates(sessionId)
    await client.prompt(promptOf(sessionId, "say 20"))
    await client.prompt(promptOf(sessionId, "ask"))
    const seen = await collect(updates, 21)
    proxy.cutAll()
    await insist(() => client.prompt(promptOf(sessionId, "say 2")))
    expect([handled, seen.length]).toEqual([1, 21])
    expect((await collect(updates, 2)).map(textOf)).toEqual(["0", "1"])
  })

  test("on a server without ids an answer that comes after a break is taken", async () => {
    const server = await startSdkServer()
    const proxy = await startProxy(server.url)
    ending.push(server.stop, proxy.stop)
    const states: (string | undefined)[] = []
    const { client, sessionId } = await session(proxy.url, {
      onStream: (reported) => reported.sessionId !== undefined && states.push(reported.state),
    })
    const updates = client.updates(sessionId)
    const lives = client.prompt(promptOf(sessionId, "hold"))
    await accepted(client, sessionId)
    await collect(updates, 1)
    proxy.cutAll()
    await expect.poll(() => [states.includes("reconnecting"), states.at(-1)]).toEqual([true, "open"])
    await insist(() => client.extNotification("_demo/go", { sessionId }))
    expect(await lives).toEqual({ stopReason: "end_turn" })
  })

  test("cut at random, every promise of the official server settles, with a word for it", async () => {
    const server = await startSdkServer()
    const proxy = await startProxy(server.url)
    ending.push(server.stop, proxy.stop)
    const kinds = new Map<string, number>()
    for (let round = 0; round < 25 || !kinds.has("end_turn"); round++) {
      cutting(proxy, round)
      const limits = { ...quick, lostAnswerMs: 300 }
      const client = new AcpHttpClient({ url: proxy.url, limits })
      const outcome = await insist(() => client.initialize())
        .then(() => client.newSession({ cwd: "/", mcpServers: [] }))
        .then(({ sessionId }) => client.prompt(promptOf(sessionId, "say 40")))
        .then(
          ({ stopReason }) => stopReason,
          (error) => (error instanceof AcpError ? error.kind : `untyped: ${error}`),
        )
      kinds.set(outcome, (kinds.get(outcome) ?? 0) + 1)
      proxy.allowance = () => undefined
      await client.close()
    }
    const allowed = ["end_turn", "network", "answer_lost", "lost"]
    expect([...kinds.keys()].filter((kind) => !allowed.includes(kind))).toEqual([])
  }, 120_000)

  test("killed in the middle of a stream: everything open rejects with lost, readers too", async () => {
    const server = await startSdkServer()
    const limits = { ...quick, reconnectAttempts: 5 }
    const { client, sessionId } = await session(server.url, { limits })
    const updates = client.updates(sessionId)
    const turn = client.prompt(promptOf(sessionId, "tick 10000"))
    turn.catch(() => undefined)
    await accepted(client, sessionId)
    await collect(updates, 3)
    await server.stop("SIGKILL")
    await expect(turn).rejects.toMatchObject({ kind: "lost" })
    await expect(drain(updates)).rejects.toMatchObject({ kind: "lost" })
    expect(await client.closed).toMatchObject({ kind: "lost" })
    await expect(client.listSessions()).rejects.toMatchObject({ kind: "lost" })
  })

  test("a server that came back without the connection says so", async () => {
    const server = await startSdkServer(await keptPort())
    // However long the other one takes to come.
    const limits = { ...quick, reconnectAttempts: Number.POSITIVE_INFINITY }
    const { client, sessionId } = await session(server.url, { limits })
    const updates = client.updates(sessionId)
    const turn = client.prompt(promptOf(sessionId, "tick 100000"))
    turn.catch(() => undefined)
    await accepted(client, sessionId)
    await collect(updates, 1)
    await server.stop("SIGKILL")
    const again = await startSdkServer(server.port)
    ending.push(again.stop)
    await expect(turn).rejects.toMatchObject({ kind: "lost", cause: { status: 404 } })
  })

  test("stalled: nothing comes, nothing closes; the stream is opened again and the answer arrives", async () => {
    const { proxy } = await broken()
    const limits = { ...quick, stallMs: 400, openMs: 400 }
    const { client, sessionId } = await session(proxy.url, { limits })
    await client.prompt(promptOf(sessionId, "say 1"))
    const updates = client.updates(sessionId)
    const turn = client.prompt(promptOf(sessionId, "half 3000"))
    await accepted(client, sessionId)
    await collect(updates, 1)
    const rest = collect(updates, 2999)
    proxy.stalled = true
    setTimeout(() => {
      proxy.stalled = false
    }, 1_500)
    expect(await turn).toEqual({ stopReason: "end_turn" })
    expect((await rest).map(textOf).at(-1)).toBe("2999")
  })

  test("stalled for good: given up by attempts", async () => {
    const { proxy } = await broken()
    const limits = { ...quick, stallMs: 200, silenceMs: 200, openMs: 200, acceptMs: 200, reconnectAttempts: 4 }
    const client = new AcpHttpClient({
      url: proxy.url,
      limits,
      onStream: ({ state }) => {
        if (state === "open") proxy.stalled = true
      },
    })
    ending.push(() => client.close().catch(() => undefined))
    await client.initialize()
    const turn = client.prompt(promptOf("s1", "wait"))
    await expect(turn).rejects.toMatchObject({ kind: expect.stringMatching(/lost|timeout/) })
    await expect(client.closed).resolves.toMatchObject({ kind: "lost", cause: { kind: "timeout" } })
  })
})

/** Everything that is there when nothing has come for a while: the last answer is behind all of it already. */
async function drain(updates: AsyncIterator<Parameters<typeof textOf>[0], undefined>): Promise<string[]> {
  const found: string[] = []
  for (;;) {
    const next = await Promise.race([updates.next(), new Promise<undefined>((resolve) => setTimeout(resolve, 0))])
    if (next === undefined || next.done) return found
    found.push(textOf(next.value))
  }
}

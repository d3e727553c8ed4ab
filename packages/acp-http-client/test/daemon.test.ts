import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { daemonProgram } from "@sandbox-agent/test-agents/daemon-program"
import { rounds } from "@sandbox-agent/test-agents/extent"
import { keptPort } from "@sandbox-agent/test-agents/kept-port"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { AcpHttpClient, type AcpHttpClientOptions } from "../src/acp-http-client.ts"
import { collect, insist, promptOf, textOf } from "./reading.ts"
import { type ServerProcess, startProcess } from "./servers/process.ts"
import { type Line, startProxy } from "./servers/proxy.ts"
import { random } from "./servers/random.ts"

const token = "acp-http-client-token-0123456789"
const home = mkdtempSync(join(tmpdir(), "acp-http-client-"))
// However long a daemon takes to come back.
const attempts = { reconnectAttempts: Number.POSITIVE_INFINITY, answerAttempts: Number.POSITIVE_INFINITY }
const quick = { reconnectMinMs: 2, reconnectMaxMs: 50, ...attempts }

let daemon: ServerProcess
let line: Line
const start = (port: number) =>
  startProcess([...daemonProgram(), "server", "--port", `${port}`, "--data-dir", join(home, "data")], {
    env: { SANDBOX_AGENT_TOKEN: token },
    cwd: home,
  })
beforeAll(async () => {
  daemon = await start(await keptPort())
  line = await startProxy(daemon.url)
})
afterAll(async () => {
  line.stop()
  await daemon.stop("SIGTERM")
  rmSync(home, { recursive: true, force: true })
})

type Form = "auto" | "headerless"

function clientOf(form: Form, options: Partial<AcpHttpClientOptions> = {}, path = "/v1/rpc") {
  const headers = { authorization: `Bearer ${token}` }
  const url = new URL(`${path}?agent=mock`, line.url)
  return new AcpHttpClient({ url, transport: form, headers, limits: quick, ...options })
}

async function connect(form: Form, options: Partial<AcpHttpClientOptions> = {}, path?: string) {
  const client = clientOf(form, options, path)
  await client.initialize()
  return { client, sessionId: (await client.newSession({ cwd: home, mcpServers: [] })).sessionId }
}

const allow: AcpHttpClientOptions["handlers"] = {
  "session/request_permission": ({ options }) => {
    const optionId = options.find(({ kind }) => kind === "allow_once")?.optionId
    return optionId ? { outcome: { outcome: "selected", optionId } } : { outcome: { outcome: "cancelled" } }
  },
}

/** Until the updates make up the text; what comes twice or not at all makes another text. */
async function text(updates: AsyncIterator<Parameters<typeof textOf>[0], undefined>, until: (text: string) => boolean) {
  let all = ""
  while (!until(all)) all += textOf((await collect(updates, 1))[0])
  return all
}

describe.each(["auto", "headerless"] as const)("against the daemon, %s", (form) => {
  test("a turn, with its text", async () => {
    const { client, sessionId } = await connect(form)
    const updates = client.updates(sessionId)
    expect(await client.prompt(promptOf(sessionId, "hello there"))).toMatchObject({ stopReason: "end_turn" })
    expect(await text(updates, (all) => all.includes("hello"))).toContain("hello")
    await client.close()
  })

  test("one that connects twice at once is told so, and has one connection", async () => {
    const client = clientOf(form)
    const [first, second] = await Promise.allSettled([client.initialize(), client.initialize()])
    expect(first).toMatchObject({ status: "fulfilled" })
    expect(second).toMatchObject({ status: "rejected", reason: { kind: "state" } })
    await client.newSession({ cwd: home, mcpServers: [] })
    await client.close()
  })

  test("a permission is asked and answered once", async () => {
    let asked = 0
    const { client, sessionId } = await connect(form, {
      handlers: {
        "session/request_permission": (params, context) => {
          asked++
          return allow?.["session/request_permission"]?.(params, context) ?? { outcome: { outcome: "cancelled" } }
        },
      },
    })
    expect(await client.prompt(promptOf(sessionId, "/permission true"))).toMatchObject({ stopReason: "end_turn" })
    expect(asked).toBe(1)
    await client.close()
  })

  test("cancel ends a turn", async () => {
    const { client, sessionId } = await connect(form)
    const updates = client.updates(sessionId)
    const turn = client.prompt(promptOf(sessionId, "/flood 100000 200"))
    await collect(updates, 3)
    const rest = (async () => {
      for await (const _ of updates) if (client === undefined) return
    })()
    await client.cancel({ sessionId })
    expect(await turn).toMatchObject({ stopReason: "cancelled" })
    await client.close()
    await rest
  })

  test("cut at random, nothing is lost or comes twice", async () => {
    const made = await connect(form)
    const { client } = made
    let { sessionId } = made
    // Something with an id has to come first: a stream that breaks before cannot say where it was.
    const first = client.updates(sessionId)
    await client.prompt(promptOf(sessionId, "hello"))
    await text(first, (all) => all.includes("hello"))
    await first.return?.()
    const next = random(form.length)
    const before = line.cuts
    let turns = 0
    while (line.cuts - before < (form === "auto" ? rounds(25, 100) : rounds(10, 40))) {
      const updates = client.updates(sessionId)
      line.allowance = () => (next() < 0.3 ? undefined : Math.floor(next() ** 2 * 40_000))
      line.cutAll()
      const turn = await client.prompt(promptOf(sessionId, "/stream 200")).catch((error) => error)
      line.allowance = () => undefined
      line.cutAll()
      const last = await client.prompt(promptOf(sessionId, `mark${turns}`)).catch((error) => error)
      // A prompt that was cut before it was accepted may run all the same, later: go on in another session.
      if (turn.kind === "network" || last.kind === "network") {
        await updates.return?.()
        sessionId = (await insist(() => client.newSession({ cwd: home, mcpServers: [] }))).sessionId
        continue
      }
      expect([turn, last]).toMatchObject([{ stopReason: "end_turn" }, { stopReason: "end_turn" }])
      const all = await text(updates, (come) => come.includes(`mark${turns}`))
      expect(all.split(/\s+/).filter((word) => /^\d+$/.test(word))).toEqual(
        Array.from({ length: 200 }, (_, at) => `${at}`),
      )
      await updates.return?.()
      turns++
    }
    expect(turns).toBeGreaterThan(0)
    await client.close()
  }, 120_000)

  test("the daemon is killed and comes back: the session goes on", async () => {
    const { client, sessionId } = await connect(form)
    const updates = client.updates(sessionId)
    await client.prompt(promptOf(sessionId, "one"))
    const { port } = daemon
    await daemon.stop("SIGKILL")
    daemon = await start(port)
    expect(await insist(() => client.prompt(promptOf(sessionId, "two")))).toMatchObject({ stopReason: "end_turn" })
    expect(await text(updates, (all) => all.includes("two"))).toContain("one")
    await client.close()
  })
})

test("the public dialect: answers in bodies, one stream per server id", async () => {
  const { client, sessionId } = await connect("headerless", { handlers: allow }, "/v1/acp/mine")
  const updates = client.updates(sessionId)
  expect(await client.prompt(promptOf(sessionId, "hello there"))).toMatchObject({ stopReason: "end_turn" })
  expect(await text(updates, (all) => all.includes("hello"))).toContain("hello")
  await client.close()
})

test("a wrong token is refused with its status", async () => {
  const client = clientOf("auto", { headers: { authorization: "Bearer wrong" } })
  await expect(client.initialize()).rejects.toMatchObject({ kind: "http", status: 401 })
})

import { existsSync } from "node:fs"
import { createServer } from "node:http"
import { rounds } from "@sandbox-agent/test-agents/extent"
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest"
import { type Line, startProxy } from "../../acp-http-client/test/servers/proxy.ts"
import { random } from "../../acp-http-client/test/servers/random.ts"
import { type InstallProgress, type Limits, SandboxAgentClient, type SandboxAgentError } from "../src/sandbox-agent.ts"
import { TestDaemon, token } from "./harness/daemon.ts"

let daemon: TestDaemon
let line: Line
beforeAll(async () => {
  daemon = await TestDaemon.start()
})
beforeAll(async () => {
  line = await startProxy(daemon.baseUrl)
})
afterEach(() => {
  vi.useRealTimers()
  line.stalled = false
  line.lifeMs = undefined
})
afterAll(async () => {
  line.stop()
  await daemon[Symbol.asyncDispose]()
})

const quick = { pauseMinMs: 2, pauseMaxMs: 20 }
const clientOf = (limits: Partial<Limits> = quick) =>
  new SandboxAgentClient({ autoConnect: false, baseUrl: line.url, token, agent: "mock", limits })
const failure = (work: Promise<unknown>): Promise<SandboxAgentError> =>
  work.then(
    () => expect.unreachable("it resolved"),
    (error) => error,
  )

/** How long the proxy lets a connection live: 30 seconds are those of many a proxy. */
const lifeMs = Number(process.env.PROXY_LIFE_MS ?? rounds(400, 30_000))

test(`a proxy that cuts every connection after ${lifeMs} ms: what can be taken up again is, the rest is told`, {
  timeout: 60_000 + 10 * lifeMs,
}, async () => {
  await using client = clientOf()
  await client.connect()
  const session = await client.startSession({ id: "cut", agent: "mock" })
  const { id } = await client.newSession({ directory: daemon.home })
  const long = `/sleep ${2.5 * lifeMs}\n/echo at last`
  const seen: number[] = []
  const reading = (async () => {
    for await (const { sequence, type } of session.events()) {
      seen.push(sequence)
      if (type === "turn.ended") return
    }
  })()
  const terminal = await client.terminals.open({ shell: `sleep ${(2.5 * lifeMs) / 1000}; echo over; exit 3` })
  const works = Promise.allSettled([
    session.prompt(long),
    client.prompt(id, long),
    terminal.exited,
    client.run(`touch begun; sleep ${(4 * lifeMs) / 1000}`, { cwd: daemon.home }),
    reading,
  ])
  // What is being sent when it is cut has no answer, whatever it is: all of it is under way before.
  for (const name of ["cut", id]) await expect.poll(async () => (await client.getSession(name)).status).toBe("running")
  await expect.poll(() => existsSync(`${daemon.home}/begun`)).toBe(true)
  line.lifeMs = lifeMs
  line.cutAll()
  const [turn, prompt, exit, run, read] = await works
  expect(turn).toMatchObject({ status: "fulfilled", value: { stopReason: "end_turn" } })
  expect(prompt).toMatchObject({ status: "fulfilled", value: { stopReason: "end_turn" } })
  expect(exit).toMatchObject({ status: "fulfilled", value: { exitCode: 3 } })
  // A program that runs for its request ends with it.
  expect(run).toMatchObject({ status: "rejected", reason: { kind: "network" } })
  expect(read.status).toBe("fulfilled")
  expect(seen).toEqual(seen.map((_, at) => at + 1))
  expect(line.cuts).toBeGreaterThan(4)
  session.close()
})

test("a session object that is closed: prompts that wait are over, and what they asked for goes on", async () => {
  const client = new SandboxAgentClient({ autoConnect: false, baseUrl: daemon.baseUrl, token })
  const session = await client.startSession({ id: "left", agent: "mock" })
  const prompt = session.prompt("/sleep 600000")
  prompt.catch(() => undefined)
  await expect.poll(async () => (await client.getSession("left")).status).toBe("running")
  session.close()
  await expect(prompt).rejects.toMatchObject({ kind: "aborted", message: expect.stringContaining("closed") })
  expect((await client.getSession("left")).status).toBe("running")
  await client.deleteSession("left")
})

test("a connection that is open and dead: every promise settles with the time that it had", async () => {
  const direct = new SandboxAgentClient({ autoConnect: false, baseUrl: daemon.baseUrl, token })
  await direct.fs.write(`${daemon.home}/long`, "x".repeat(1000))
  // Agents start, which takes what it takes on a busy machine, before times are short.
  const id = "other-half"
  for (const name of ["half", id]) await (await direct.startSession({ id: name, agent: "mock" })).prompt("/echo awake")
  const times = { requestMs: 6000, workMs: 6000, openMs: 2000, stallMs: 2000, reconnectAttempts: 2, attempts: 1 }
  const client = clientOf({ ...quick, ...times })
  await client.connect()
  const session = client.session("half")
  await client.loadSession(id)
  const events = client.streamEvents("half")
  await events.next()
  const terminal = await client.terminals.open({ shell: "sleep 600" })
  const exited = terminal.exited
  await expect.poll(() => terminal.state).toBe("open")
  const prompts = [session.prompt("/sleep 600000"), client.prompt(id, "/sleep 600000")]
  const run = client.run("sleep 600")
  for (const work of [...prompts, run, exited]) work.catch(() => undefined)
  await expect.poll(async () => (await direct.getSession("half")).status).toBe("running")
  await expect.poll(async () => (await direct.getSession(id)).status).toBe("running")
  line.stalled = true
  const reading = (async () => {
    for await (const _ of events);
  })()
  const calls: Record<string, Promise<unknown>> = {
    "a turn that runs": prompts[0] as Promise<unknown>,
    "a session call that runs": prompts[1] as Promise<unknown>,
    "a program that runs": run,
    "a terminal that is open": exited,
    "a stream that is open": reading,
    reading: client.getSession("half"),
    creating: client.createSession({ agent: "mock" }),
    sending: client.postMessage("half", { message: "x" }),
    following: client.streamEvents("half").next(),
    downloading: client.fs.read(`${daemon.home}/long`),
    uploading: client.fs.write(`${daemon.home}/other`, "x".repeat(1000)),
    running: client.run("true"),
    installing: client.installAgent("mock"),
    opening: client.terminals.open(),
    connecting: new SandboxAgentClient({
      autoConnect: false,
      baseUrl: line.url,
      token,
      limits: { ...quick, ...times },
    }).connect(),
    "a session call": client.newSession({ directory: daemon.home }),
  }
  for (const work of Object.values(calls)) work.catch(() => undefined)
  const kinds: Record<string, string> = {}
  for (const [name, work] of Object.entries(calls)) kinds[name] = (await failure(work)).kind
  // The connection itself is lost then, for good.
  const lost = {
    "a session call that runs": "not_connected",
    "a session call": expect.stringMatching("timeout|not_connected"),
  }
  const late = Object.fromEntries(Object.keys(calls).map((name) => [name, "timeout"]))
  expect(kinds).toEqual({ ...late, ...lost })
  session.close()
  line.stalled = false
  line.cutAll()
  await direct.rest.terminateSession("half")
  await direct.rest.terminateSession(id)
  await direct.terminals.close(terminal.id)
  await client.disconnect().catch(() => undefined)
})

test("a line that goes dead at any moment: every promise settles", async () => {
  const next = random(11)
  const direct = new SandboxAgentClient({ autoConnect: false, baseUrl: daemon.baseUrl, token })
  const times = { requestMs: 1500, workMs: 1500, openMs: 800, stallMs: 800, reconnectAttempts: 1, attempts: 1 }
  const atOnce = async (at: number) => {
    const names = [`dead-${at}-a`, `dead-${at}-b`] as const
    for (const name of names) await direct.createSession(name, { agent: "mock", directory: daemon.home })
    const dying = await startProxy(daemon.baseUrl)
    const limits = { ...quick, ...times }
    const client = new SandboxAgentClient({ autoConnect: false, baseUrl: dying.url, token, agent: "mock", limits })
    setTimeout(() => {
      dying.stalled = true
    }, next() * 300)
    const ends = await Promise.allSettled([
      client.session(names[0]).prompt("/sleep 600000"),
      client.run("sleep 600"),
      client.terminals.open({ shell: "sleep 600" }).then(({ exited }) => exited),
      client.connect().then(async () => {
        await client.loadSession(names[1])
        await client.prompt(names[1], "/sleep 600000")
      }),
      (async () => {
        for await (const _ of client.streamEvents(names[0]));
      })(),
      (async () => {
        for await (const _ of client.streamGlobalEvents());
      })(),
    ])
    const kinds = ends.map((end) => (end.status === "rejected" ? end.reason.kind : end.value))
    // How it is told depends on the moment; that it is told does not.
    for (const kind of kinds) expect(["timeout", "not_connected"]).toContain(kind)
    dying.stop()
    await client.dispose().catch(() => undefined)
    for (const name of names) await direct.deleteSession(name)
  }
  await Promise.all(Array.from({ length: 12 }, (_, at) => atOnce(at)))
})

test.each([-5, 5])(
  "the clock of the day jumps by %d hours: nothing is late for it, and nothing waits for it",
  async (hours) => {
    await using client = clientOf({ ...quick, stallMs: 60_000 })
    await client.connect()
    const session = await client.startSession({ agent: "mock" })
    const { id } = await client.newSession({ directory: daemon.home })
    const running = [session.prompt("/sleep 600\n/echo on"), client.prompt(id, "/sleep 600\n/echo on")]
    vi.useFakeTimers({ toFake: ["Date"] })
    vi.setSystemTime(Date.now() + hours * 3_600_000)
    for (const work of running) expect(await work).toMatchObject({ stopReason: "end_turn" })
    expect(await client.getHealth()).toMatchObject({ status: "ok" })
    // And what has no answer is as late as it would be otherwise.
    line.stalled = true
    const late = failure(client.getHealth({ timeoutMs: 200 }))
    vi.setSystemTime(Date.now() - hours * 3_600_000)
    expect(await late).toMatchObject({ kind: "timeout" })
    line.stalled = false
    line.cutAll()
    session.close()
  },
)

describe("an install that fails midway", () => {
  const size = 4 * 1024 * 1024
  /** A vendor of Claude Code that sends half of it, and then does as it is told. */
  async function startVendor() {
    const half = Promise.withResolvers<void>()
    const end = Promise.withResolvers<void>()
    const server = createServer(async ({ url = "" }, answer) => {
      if (/\/(latest|stable)$/.test(url)) return answer.end("3.2.1")
      if (!url.endsWith("/claude")) return answer.writeHead(404).end()
      answer.writeHead(200, { "content-length": size }).write("x".repeat(size / 2), () => half.resolve())
      await end.promise
      answer.destroy()
    })
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    const address = server.address()
    const stop = () => {
      server.closeAllConnections()
      server.close()
    }
    const url = `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`
    return { url, half: half.promise, breakOff: end.resolve, [Symbol.dispose]: stop }
  }
  const withVendor = ({ url }: { url: string }) =>
    TestDaemon.startWith({ SANDBOX_AGENT_MIRROR_CLAUDE: url, PATH: "/usr/bin:/bin" }, "--install-source", "vendor")

  test("the vendor breaks off: a problem that says so, for whoever installs and whoever creates", async () => {
    using vendor = await startVendor()
    await using own = await withVendor(vendor)
    const client = new SandboxAgentClient({ autoConnect: false, baseUrl: own.baseUrl, token, limits: quick })
    const told: InstallProgress[] = []
    const installing = failure(client.installAgent("claude", { onProgress: (progress) => told.push(progress) }))
    const creating = failure(client.createSession("early", { agent: "claude" }))
    await vendor.half
    await expect.poll(() => told.some(({ bytes }) => (bytes ?? 0) > 0)).toBe(true)
    vendor.breakOff()
    for (const failed of [installing, creating])
      expect(await failed).toMatchObject({ kind: "problem", status: 500, code: "install_failed" })
    expect(await failure(client.getSession("early"))).toMatchObject({ code: "session_not_found" })
    expect(await client.getAgent("claude")).toMatchObject({ installed: false })
  })

  test("the line to the daemon breaks, or the daemon dies: no answer, and that is told", async () => {
    using vendor = await startVendor()
    await using own = await withVendor(vendor)
    const front = await startProxy(own.baseUrl)
    const client = new SandboxAgentClient({ autoConnect: false, baseUrl: front.url, token, limits: quick })
    for (const broken of [() => front.cutAll(), () => own.end()]) {
      let isTold = false
      const onProgress = () => {
        isTold = true
      }
      const installing = failure(client.installAgent("claude", { onProgress }))
      await expect.poll(() => isTold).toBe(true)
      await broken()
      expect(await installing).toMatchObject({ kind: "network" })
    }
    front.stop()
  })
})

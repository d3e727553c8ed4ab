import { createServer } from "node:net"
import { inspect } from "node:util"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import {
  type ClientOptions,
  isSandboxAgentError,
  ProblemError,
  SandboxAgentClient,
  SandboxAgentError,
} from "../src/sandbox-agent.ts"
import { TestDaemon, token } from "./harness/daemon.ts"
import { startFront } from "./harness/front.ts"

let daemon: TestDaemon
let client: SandboxAgentClient
beforeAll(async () => {
  daemon = await TestDaemon.start()
  client = new SandboxAgentClient({ autoConnect: false, baseUrl: daemon.baseUrl, token })
})
afterAll(() => daemon[Symbol.asyncDispose]())

const quick = { pauseMinMs: 1, pauseMaxMs: 5 }
const failure = (work: Promise<unknown>): Promise<SandboxAgentError> =>
  work.then(
    () => expect.unreachable("it resolved"),
    (error) => error,
  )

describe("errors", () => {
  test("a refusal keeps the whole problem", async () => {
    const error = await failure(client.getSession("nobody"))
    expect(error).toBeInstanceOf(ProblemError)
    expect(error).toMatchObject({
      kind: "problem",
      status: 404,
      code: "session_not_found",
      problem: {
        type: "urn:sandbox-agent:error:session_not_found",
        sessionId: "nobody",
        requestId: expect.any(String),
      },
    })
    expect(isSandboxAgentError(error)).toBe(true)
  })

  test("each status has its code", async () => {
    const { session } = await client.createSession("taken", { agent: "mock" })
    expect(session).toMatchObject({ id: "taken", agent: "mock" })
    const codes = await Promise.all([
      failure(client.createSession("taken", { agent: "mock" })),
      failure(client.createSession({ agent: "nobody" })),
      failure(new SandboxAgentClient({ autoConnect: false, baseUrl: daemon.baseUrl, token: "wrong" }).listAgents()),
      failure(client.postMessage("taken", { message: "x".repeat(40 * 2 ** 20) })),
      failure(client.getEvents("taken", { offset: 1_000_000 })),
    ])
    expect(codes.map((error) => error instanceof ProblemError && [error.status, error.code])).toEqual([
      [409, "session_already_exists"],
      [400, "unsupported_agent"],
      [401, "token_invalid"],
      [413, "payload_too_large"],
      [400, "invalid_request"],
    ])
    expect((codes[4] as ProblemError).problem?.lastSequence).toBeGreaterThan(0)
  })

  test("what something in front of the daemon says is kept as it is", async () => {
    using front = await startFront(daemon.baseUrl, (_, answer) => answer.writeHead(403).end("<b>go away</b>"))
    const error = await failure(new SandboxAgentClient({ autoConnect: false, baseUrl: front.baseUrl }).getHealth())
    expect(error).toMatchObject({ kind: "problem", status: 403, body: "<b>go away</b>", problem: undefined })
    expect((error as ProblemError).code).toBeUndefined()
  })

  test("a 200 that is not JSON is no answer of the daemon", async () => {
    using front = await startFront(daemon.baseUrl, (_, answer) => answer.end("<html>log in</html>"))
    expect(
      await failure(new SandboxAgentClient({ autoConnect: false, baseUrl: front.baseUrl }).listAgents()),
    ).toMatchObject({
      kind: "protocol",
    })
    const stream = new SandboxAgentClient({ autoConnect: false, baseUrl: front.baseUrl }).streamEvents("s")
    expect(await failure(stream.next())).toMatchObject({ kind: "protocol" })
  })

  test("a dead port is a network error, for calls and for streams", async () => {
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    const address = server.address()
    const port = typeof address === "object" ? address?.port : 0
    await new Promise((resolve) => server.close(resolve))
    const dead = new SandboxAgentClient({ autoConnect: false, baseUrl: `http://127.0.0.1:${port}`, limits: quick })
    expect(await failure(dead.getHealth())).toMatchObject({ kind: "network" })
    expect(await failure(dead.postMessage("s", { message: "x" }))).toMatchObject({ kind: "network" })
    expect(await failure(dead.streamEvents("s").next())).toMatchObject({ kind: "network" })
  })

  test("a server that accepts and says nothing is a timeout", async () => {
    const server = createServer(() => undefined)
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    const address = server.address()
    const port = typeof address === "object" ? address?.port : 0
    const silent = new SandboxAgentClient({
      autoConnect: false,
      baseUrl: `http://127.0.0.1:${port}`,
      limits: { ...quick, requestMs: 50, openMs: 50, workMs: 50 },
    })
    const failed = [silent.getHealth(), silent.createSession({ agent: "mock" }), silent.streamEvents("s").next()]
    for (const work of failed) expect(await failure(work)).toMatchObject({ kind: "timeout" })
    expect(await failure(silent.listAgents({ timeoutMs: 1 }))).toMatchObject({ kind: "timeout" })
    server.close()
  })

  test("an address or a name that no request can be made of is told before anything is sent", async () => {
    for (const baseUrl of ["here", "ftp://host", "http://user:word@host", "http://host/?x"])
      expect(() => new SandboxAgentClient({ autoConnect: false, baseUrl })).toThrow(SandboxAgentError)
    expect(
      () => new SandboxAgentClient({ autoConnect: false, baseUrl: "http://host", limits: { requestMs: Number.NaN } }),
    ).toThrow("requestMs")
    await expect(client.createSession("", { agent: "mock" })).rejects.toMatchObject({ kind: "argument" })
  })

  describe.each(["se\ncret", "se\r\nx: cret", "secret€", "se\0cret", "se\x01cret"])(
    "what no header carries: %j",
    (bad) => {
      const refused = (error: unknown) => {
        expect(error).toMatchObject({ kind: "argument", name: "SandboxAgentError" })
        // Also not in what is printed beside the message.
        expect(inspect(error)).not.toMatch(/cret/)
        return true
      }
      const made = (options: Partial<ClientOptions>) =>
        new SandboxAgentClient({ autoConnect: false, baseUrl: daemon.baseUrl, ...options })
      const thrownBy = (work: () => unknown): unknown => {
        try {
          work()
        } catch (error) {
          return error
        }
        return expect.unreachable("it did not throw")
      }

      test("as a token or a header it is told at once, and not what it is", () => {
        refused(thrownBy(() => made({ token: bad })))
        refused(thrownBy(() => made({ headers: { "x-key": bad } })))
        refused(thrownBy(() => made({ headers: [["x-key", bad]] })))
        expect(String(thrownBy(() => made({ headers: { good: "1", "x-key": bad } })))).toContain('"x-key"')
      })

      test("from a function it is told by the call, which is not tried again", async () => {
        let asked = 0
        const once = <T>(value: T) => {
          asked++
          return value
        }
        const sources: Partial<ClientOptions>[] = [
          { token: () => once(bad) },
          { token: async () => once(bad) },
          { headers: () => once({ "x-key": bad }) },
        ]
        for (const source of sources) {
          await using wrong = made(source)
          const calls = [
            () => wrong.listAgents(),
            () => wrong.streamEvents("s").next(),
            () => wrong.connect(),
            () => wrong.fs.read("/x"),
          ]
          for (const call of calls) {
            asked = 0
            refused(await failure(call()))
            expect(asked).toBe(1)
          }
        }
        const { id } = await client.terminals.start({})
        let isBad = false
        const later = made({ token, headers: () => ({ "x-key": isBad ? bad : "good" }) })
        const terminal = await later.terminals.attach(id)
        isBad = true
        refused(await failure(terminal.exited))
        await client.terminals.close(id)
      })
    },
  )

  test("a token may end as a line of a file does", async () => {
    const read = new SandboxAgentClient({ autoConnect: false, baseUrl: daemon.baseUrl, token: `${token}\n` })
    expect((await read.listAgents()).agents.length).toBeGreaterThan(0)
  })
})

describe("aborting", () => {
  test("rejects at once, before and during a call", async () => {
    const before = AbortSignal.abort("enough")
    expect(await failure(client.getHealth({ signal: before }))).toMatchObject({ kind: "aborted", name: "AbortError" })
    using front = await startFront(daemon.baseUrl, () => undefined)
    const held = new SandboxAgentClient({ autoConnect: false, baseUrl: front.baseUrl })
    const during = new AbortController()
    const calls = [
      held.getHealth({ signal: during.signal }),
      held.postMessage("s", { message: "x" }, { signal: during.signal }),
      held.installAgent("mock", { signal: during.signal }),
      held.streamEvents("s", { signal: during.signal }).next(),
      held.fs.read("/x", { signal: during.signal }),
    ].map(failure)
    await expect.poll(() => front.seen.length).toBe(5)
    during.abort()
    for (const error of await Promise.all(calls)) expect(error).toMatchObject({ kind: "aborted", name: "AbortError" })
  })
})

describe("asking again", () => {
  test("a message whose answer is lost is sent again, and once", async () => {
    await client.createSession("again", { agent: "mock" })
    let losses = 0
    using front = await startFront(daemon.baseUrl, ({ method }, answer, pass) => {
      // The daemon has it; its answer gets lost on the way.
      if (method === "POST" && losses++ < 2) answer.writeHead = () => answer.destroy()
      pass()
    })
    const shaky = new SandboxAgentClient({ autoConnect: false, baseUrl: front.baseUrl, token, limits: quick })
    const posted = await shaky.postMessage("again", { message: "once" })
    expect(front.seen.filter(({ method }) => method === "POST")).toHaveLength(3)
    for await (const event of client.streamEvents("again"))
      if (event.type === "turn.ended" && event.data.message_ids.includes(posted.messageId)) break
    const { items } = await client.listItems("again")
    expect(items.filter(({ role }) => role === "user")).toHaveLength(1)
  })

  test("reading is asked again, also after the time that is named; creating is not", async () => {
    let refusals = 0
    using front = await startFront(daemon.baseUrl, (_, answer, pass) => {
      if (refusals++ >= 2) return pass()
      if (refusals === 1) return answer.destroy()
      answer.writeHead(503, { "retry-after": "0" }).end()
    })
    const shaky = new SandboxAgentClient({ autoConnect: false, baseUrl: front.baseUrl, token, limits: quick })
    expect(await shaky.getHealth()).toMatchObject({ status: "ok" })
    expect(front.seen).toHaveLength(3)
    refusals = 0
    expect(await failure(shaky.createSession("never", { agent: "mock" }))).toMatchObject({ kind: "network" })
    expect(front.seen).toHaveLength(4)
    expect(await failure(client.getSession("never"))).toMatchObject({ status: 404 })
  })

  test("attempts end", async () => {
    using front = await startFront(daemon.baseUrl, (_, answer) => answer.writeHead(503).end())
    const refused = new SandboxAgentClient({
      autoConnect: false,
      baseUrl: front.baseUrl,
      limits: { ...quick, attempts: 3 },
    })
    expect(await failure(refused.getHealth())).toMatchObject({ kind: "problem", status: 503 })
    expect(front.seen).toHaveLength(3)
  })
})

test("an install is followed to its end; what cannot be installed is a problem", async () => {
  expect(await client.installAgent("mock")).toMatchObject({ installed: true })
  expect(await failure(client.installAgent("nobody"))).toMatchObject({ kind: "problem", code: "unsupported_agent" })
})

test("tokens and headers may be asked for before each request", async () => {
  let asked = 0
  const changing = new SandboxAgentClient({
    autoConnect: false,
    baseUrl: daemon.baseUrl,
    token: () => (++asked > 1 ? token : "too-early"),
    headers: async () => ({ "x-mine": "yes" }),
  })
  expect(await failure(changing.listAgents())).toMatchObject({ code: "token_invalid" })
  const { agents } = await changing.listAgents()
  expect(agents.map(({ id }) => id)).toContain("mock")
})

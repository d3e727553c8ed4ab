import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { type ClientOptions, type Event, SandboxAgentClient, type Session, TurnError } from "../src/sandbox-agent.ts"
import { TestDaemon, token } from "./harness/daemon.ts"
import { startFront } from "./harness/front.ts"

let daemon: TestDaemon
let client: SandboxAgentClient
const quick = { pauseMinMs: 2, pauseMaxMs: 50, reconnectAttempts: Number.POSITIVE_INFINITY }
const make = (options: Partial<ClientOptions> = {}) =>
  new SandboxAgentClient({
    autoConnect: false,
    baseUrl: daemon.baseUrl,
    token,
    agent: "mock",
    limits: quick,
    ...options,
  })
beforeAll(async () => {
  daemon = await TestDaemon.start()
  client = make()
})
afterAll(() => daemon[Symbol.asyncDispose]())

const failure = (work: Promise<unknown>) =>
  work.then(
    () => expect.unreachable("it resolved"),
    (error) => error,
  )
const start = () => client.startSession({ agent: "mock", directory: daemon.home })
const statusOf = async (session: Session) => (await session.info()).status

test("a prompt resolves when its turn has ended, and everything of it was told before", async () => {
  using session = await start()
  expect(session.created).toMatchObject({ healthy: true })
  const seen: Event[] = []
  const unsubscribe = session.onEvent((event) => seen.push(event))
  const result = await session.prompt([{ type: "text", text: "/echo one two" }])
  expect(result).toMatchObject({ stopReason: "end_turn", turnId: expect.any(String), messageId: expect.any(String) })
  expect(seen.map(({ type }) => type)).toEqual(expect.arrayContaining(["turn.started", "item.delta", "turn.ended"]))
  const deltas = seen.map((event) => (event.type === "item.delta" ? event.data.delta : ""))
  expect(deltas.join("")).toBe("one two")
  unsubscribe()
  const before = seen.length
  await session.prompt("/echo three")
  expect(seen).toHaveLength(before)
})

test("messages wait in a queue, and each prompt gets its own turn", async () => {
  using session = await start()
  const first = session.prompt("/sleep 200\n/echo first")
  const [second, third] = await Promise.all([session.prompt("/echo second"), session.prompt("/echo third")])
  expect(new Set([(await first).turnId, second.turnId, third.turnId]).size).toBe(3)
})

describe("the same session, however it was made", () => {
  test("by session calls, by plain requests, by another client", async () => {
    await using other = make({ autoConnect: true })
    const { id } = await other.newSession({ directory: daemon.home })
    await client.createSession("made-plain", { agent: "mock" })
    for (const made of [id, "made-plain"]) {
      using mine = client.session(made)
      using theirs = other.session(made)
      const seen: Event["type"][] = []
      theirs.onEvent(({ type }) => seen.push(type))
      theirs.onPermission((permission) => permission.allow())
      expect(await mine.prompt("/permission true")).toMatchObject({ stopReason: "end_turn" })
      await expect.poll(() => seen).toContain("turn.ended")
      expect(seen).toContain("permission.resolved")
    }
  })
})

describe("requests", () => {
  test("a permission is asked once; what the handler returns is the reply", async () => {
    using session = await start()
    const asked: string[] = []
    session.onPermission(({ detail, choices }) => {
      asked.push(detail?.command ?? "")
      expect(choices).toContain("once")
      return "once"
    })
    await session.prompt("/permission echo allowed")
    expect(asked).toEqual(["echo allowed"])
    const { items } = await client.listItems(session.id)
    expect(JSON.stringify(items)).toContain("allowed")
  })

  test("allowed always it is not asked again, and nobody is asked what a rule decides", async () => {
    using session = await start()
    let asked = 0
    session.onPermission((permission) => {
      asked++
      return permission.allowAlways()
    })
    await session.prompt("/permission echo again")
    await session.prompt("/permission echo again")
    expect(asked).toBe(1)
  })

  test("a rejection carries its words", async () => {
    using session = await start()
    session.onPermission((permission) => permission.reject("not today"))
    await session.prompt("/permission echo never")
    const { events } = await client.getEvents(session.id, { limit: 1000 })
    expect(events.find(({ type }) => type === "permission.resolved")).toMatchObject({
      data: { status: "reject", message: "not today" },
    })
  })

  test("those that wait already are told to whoever comes, and their end is a signal", async () => {
    using session = await start()
    const turn = session.prompt("/permission echo late")
    await expect.poll(() => statusOf(session)).toBe("waiting")
    using late = client.session(session.id)
    const signal = await new Promise<AbortSignal>((resolve) =>
      late.onPermission((permission) => resolve(permission.signal)),
    )
    const again = await new Promise<string>((resolve) =>
      late.onPermission((permission) => resolve(permission.permission_id)),
    )
    expect(signal.aborted).toBe(false)
    await client.replyPermission(session.id, again, "once")
    await turn
    await expect.poll(() => signal.aborted).toBe(true)
  })

  test("a list of what waits that comes after a decision asks nobody again", async () => {
    let held: Promise<void> | undefined
    const fetched = Promise.withResolvers<void>()
    const slow = make({
      fetch: async (url, init) => {
        const response = await fetch(url, init)
        if (held === undefined || !String(url).endsWith("/pending")) return response
        fetched.resolve()
        await held
        return response
      },
    })
    using session = slow.session((await start()).id)
    const resolved = new Promise<void>((resolve) =>
      session.onEvent(({ type }) => type === "permission.resolved" && resolve()),
    )
    const asked: string[] = []
    session.onPermission(({ permission_id }) => void asked.push(permission_id))
    const turn = session.prompt("/permission echo once")
    await expect.poll(() => asked).toHaveLength(1)
    const release = Promise.withResolvers<void>()
    held = release.promise
    session.onQuestion(({ questions }) => questions.map(({ options }) => [options[0]?.label ?? ""]))
    await fetched.promise
    await client.replyPermission(session.id, asked[0] ?? "", "once")
    await resolved
    held = undefined
    release.resolve()
    await turn
    await session.prompt("/question")
    expect(asked).toHaveLength(1)
  })

  test("what waits is told also where the list of it cannot be had for a while", async () => {
    let refused = 0
    using front = await startFront(daemon.baseUrl, ({ path }, answer, pass) => {
      if (path.endsWith("/pending") && refused++ < 12) answer.destroy()
      else pass()
    })
    const reported: Error[] = []
    const cut = make({ baseUrl: front.baseUrl, onError: (error) => reported.push(error) })
    using session = cut.session((await start()).id)
    session.onPermission(() => "once")
    expect(await session.prompt("/permission true")).toMatchObject({ stopReason: "end_turn" })
    expect(reported).toEqual([])
  })

  test("questions are answered by what the handler returns, or rejected", async () => {
    using session = await start()
    let rejecting = false
    session.onQuestion(async (question) => {
      if (rejecting) return question.reject("no idea")
      await question.reply(question.questions.map(({ options }) => [options[0]?.label ?? "yes"]))
    })
    expect(await session.prompt("/questions")).toMatchObject({ stopReason: "end_turn" })
    rejecting = true
    await session.prompt("/question")
    const { events } = await client.getEvents(session.id, { limit: 1000 })
    const resolved = events.flatMap((event) => (event.type === "question.resolved" ? [event.data.status] : []))
    expect(resolved).toEqual(["answered", "rejected"])
  })

  test("what a handler throws, and a listener, is reported and ends nothing", async () => {
    const reported: Error[] = []
    const loud = make({ onError: (error) => reported.push(error) })
    using session = loud.session((await start()).id)
    session.onEvent(() => {
      throw new Error("listener")
    })
    session.onPermission(() => {
      throw new Error("handler")
    })
    session.onPermission(() => "once")
    await session.prompt("/permission true")
    expect(reported.some(({ message }) => message.includes("listener"))).toBe(true)
    expect(reported.some(({ message }) => message.includes("handler"))).toBe(true)
  })
})

describe("endings", () => {
  test("a turn that fails is an error with its code; the session goes on", async () => {
    using session = await start()
    const error = await failure(session.prompt("/crash 3"))
    expect(error).toBeInstanceOf(TurnError)
    expect(error).toMatchObject({ kind: "turn", code: "agent_process_exited", failure: { exit_code: 3 } })
    expect(await session.prompt("/echo back")).toMatchObject({ stopReason: "end_turn" })
  })

  test("cancel ends the turn; its prompt resolves with cancelled", async () => {
    using session = await start()
    const turn = session.prompt("/sleep 600000")
    await expect.poll(() => statusOf(session)).toBe("running")
    expect(await session.cancel()).toMatchObject({ ended: true })
    expect(await turn).toMatchObject({ stopReason: "cancelled" })
  })

  test("aborting withdraws a message that waits, and cancels the turn of one that does not", async () => {
    using session = await start()
    const stop = new AbortController()
    const running = failure(session.prompt("/sleep 600000", { signal: stop.signal }))
    await expect.poll(() => statusOf(session)).toBe("running")
    const waiting = new AbortController()
    const queued = failure(session.prompt("/echo never", { signal: waiting.signal }))
    await expect.poll(async () => (await session.info()).queue.length).toBe(1)
    waiting.abort()
    expect(await queued).toMatchObject({ kind: "aborted", name: "AbortError" })
    await expect.poll(async () => (await session.info()).queue.length).toBe(0)
    expect(await statusOf(session)).toBe("running")
    stop.abort()
    expect(await running).toMatchObject({ kind: "aborted" })
    await expect.poll(() => statusOf(session)).toBe("idle")
  })

  test("aborting a prompt that is still on its way takes it back when it has arrived", async () => {
    const arrived = Promise.withResolvers<void>()
    const released = Promise.withResolvers<void>()
    const missed = Promise.withResolvers<void>()
    using front = await startFront(daemon.baseUrl, ({ method }, answer, pass) => {
      if (method === "DELETE") answer.on("close", missed.resolve)
      if (method !== "POST") return pass()
      arrived.resolve()
      void released.promise.then(() => pass())
    })
    using session = make({ baseUrl: front.baseUrl }).session((await start()).id)
    const stop = new AbortController()
    const given = failure(session.prompt("/permission true", { signal: stop.signal }))
    await arrived.promise
    stop.abort()
    expect(await given).toMatchObject({ kind: "aborted" })
    await missed.promise
    released.resolve()
    const isTakenBack = ({ type, data }: Event) =>
      (type === "turn.ended" && data.stop_reason === "cancelled") ||
      (type === "message.updated" && data.state === "withdrawn")
    await expect.poll(async () => (await client.getEvents(session.id)).events.some(isTakenBack)).toBe(true)
  })

  test("aborting a prompt whose turn has just ended leaves the turn of somebody else", async () => {
    const [asked, sent, looked] = [0, 1, 2].map(() => Promise.withResolvers<void>())
    let isGivenUp = false
    const slow = make({
      fetch: async (url, init) => {
        const isWithdrawal = init?.method === "DELETE"
        if (isWithdrawal) {
          asked?.resolve()
          await sent?.promise
        }
        const response = await fetch(url, init)
        if (isGivenUp) looked?.resolve()
        isGivenUp ||= isWithdrawal
        return response
      },
    })
    using theirs = await start()
    using mine = slow.session(theirs.id)
    const stop = new AbortController()
    const given = failure(mine.prompt("/permission true", { signal: stop.signal }))
    const permission = async () => {
      await expect.poll(async () => (await client.listPending(theirs.id)).permissions).toHaveLength(1)
      return (await client.listPending(theirs.id)).permissions[0]?.permission_id ?? ""
    }
    const first = await permission()
    const other = theirs.prompt("/permission true")
    await expect.poll(async () => (await theirs.info()).queue.length).toBe(1)
    stop.abort()
    expect(await given).toMatchObject({ kind: "aborted" })
    await asked?.promise
    await theirs.replyPermission(first, "once")
    await expect.poll(async () => (await theirs.info()).queue.length).toBe(0)
    const second = await permission()
    expect(second).not.toBe(first)
    sent?.resolve()
    await looked?.promise
    await theirs.replyPermission(second, "once").catch(() => undefined)
    expect(await other).toMatchObject({ stopReason: "end_turn" })
  })

  test("a message that is withdrawn elsewhere, and a session that is gone", async () => {
    using session = await start()
    const first = session.prompt("/sleep 600000").catch((error) => error)
    await expect.poll(() => statusOf(session)).toBe("running")
    const queued = failure(session.prompt("/echo never", { messageId: "mine" }))
    await expect.poll(async () => (await session.info()).queue.length).toBe(1)
    await client.withdrawMessage(session.id, "mine")
    expect(await queued).toMatchObject({ kind: "message", code: "withdrawn", messageId: "mine" })
    await session.terminate()
    expect(await first).toBeDefined()
    await session.delete()
    expect(await failure(session.prompt("hello"))).toMatchObject({ kind: "problem", code: "session_not_found" })
  })

  test("a daemon that is killed in a turn: the prompt says so, and the session goes on", async () => {
    using session = await start()
    const turn = failure(session.prompt("/sleep 600000"))
    await expect.poll(() => statusOf(session)).toBe("running")
    await daemon.restart()
    expect(await turn).toMatchObject({ kind: expect.stringMatching(/^(turn|message)$/), code: "daemon_restarted" })
    expect(await session.prompt("/echo back")).toMatchObject({ stopReason: "end_turn" })
  })
})

test("settings, forks, also to another agent, ending and coming back", async () => {
  using session = await start()
  await session.prompt("/echo remember this")
  await session.setMode("plan")
  await session.setPermissionMode("acceptEdits")
  const { models } = await client.rest.listModels("mock")
  const model = models.find(({ variants }) => variants.length > 0)
  await session.setModel(model?.id ?? "")
  const { session: changed } = await session.setVariant(model?.variants[0] ?? "")
  expect(changed).toMatchObject({ model: model?.id, variant: model?.variants[0] })
  expect(await session.info()).toMatchObject({ agentMode: "plan", permissionMode: "acceptEdits" })
  using fork = await session.fork({ title: "Fork" })
  expect(fork.id).not.toBe(session.id)
  expect(await fork.info()).toMatchObject({ title: "Fork", agent: "mock" })
  using told = await session.fork({ agent: "mock" })
  const { events } = await client.getEvents(told.id)
  expect(events.some((event) => event.type === "session.updated" && event.data.context === "rebuilt")).toBe(true)
  await session.terminate()
  expect(await statusOf(session)).toBe("ended")
  await session.resume()
  expect(await session.prompt("/echo back")).toMatchObject({ stopReason: "end_turn" })
})

import { chmodSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import {
  AlreadyConnectedError,
  type ClientEvent,
  type ClientOptions,
  NotConnectedError,
  SandboxAgentClient,
} from "../src/sandbox-agent.ts"
import { TestDaemon, token } from "./harness/daemon.ts"
import { startFront } from "./harness/front.ts"

let daemon: TestDaemon
beforeAll(async () => {
  daemon = await TestDaemon.start()
})
afterAll(() => daemon[Symbol.asyncDispose]())

const quick = { pauseMinMs: 2, pauseMaxMs: 50, reconnectAttempts: Number.POSITIVE_INFINITY }
const make = (options: Partial<ClientOptions> = {}) =>
  new SandboxAgentClient({ baseUrl: daemon.baseUrl, token, agent: "mock", limits: quick, ...options })
const failure = (work: Promise<unknown>) =>
  work.then(
    () => expect.unreachable("it resolved"),
    (error) => error,
  )

/** Each call that needs the connection. */
const sessionCalls: Record<string, (client: SandboxAgentClient) => Promise<unknown>> = {
  newSession: (c) => c.newSession({ directory: daemon.home }),
  loadSession: (c) => c.loadSession("s"),
  resumeSession: (c) => c.resumeSession("s"),
  forkSession: (c) => c.forkSession("s"),
  listSessions: (c) => c.listSessions(),
  prompt: (c) => c.prompt("s", "hello"),
  cancel: (c) => c.cancel("s"),
  setSessionMode: (c) => c.setSessionMode("s", "build"),
  setSessionModel: (c) => c.setSessionModel("s", "m"),
  setSessionConfigOption: (c) => c.setSessionConfigOption("s", "mode", "build"),
  listModels: (c) => c.listModels(),
  setMetadata: (c) => c.setMetadata("s", {}),
  detachSession: (c) => c.detachSession("s"),
  terminateSession: (c) => c.terminateSession("s"),
}

describe("lifecycle", () => {
  test("a new client connects by itself, and session calls wait for it", async () => {
    await using client = make()
    expect(client.connected).toBe(false)
    const { id } = await client.newSession({ directory: daemon.home })
    expect(client.connected).toBe(true)
    expect(await client.prompt(id, [{ type: "text", text: "hello" }])).toMatchObject({ stopReason: "end_turn" })
  })

  test("without auto-connect nothing is asked before connect()", async () => {
    using front = await startFront(daemon.baseUrl)
    await using client = make({ baseUrl: front.baseUrl, autoConnect: false })
    for (const [name, call] of Object.entries(sessionCalls))
      expect(await failure(call(client)), name).toBeInstanceOf(NotConnectedError)
    expect(front.seen).toEqual([])
    expect(await client.getHealth()).toMatchObject({ status: "ok" })
    await client.connect()
    expect(client.connected).toBe(true)
    expect((await client.listSessions()).sessions).toBeInstanceOf(Array)
  })

  test("after disconnect() session calls fail, plain requests do not, and it can connect again", async () => {
    const client = make()
    await client.newSession({ id: "again", directory: daemon.home })
    await client.disconnect()
    for (const [name, call] of Object.entries(sessionCalls))
      expect(await failure(call(client)), name).toBeInstanceOf(NotConnectedError)
    expect(await client.getSession("again")).toMatchObject({ status: "idle" })
    await client.disconnect()
    await client.connect()
    await client.loadSession("again")
    expect(await client.prompt("again", "hello")).toMatchObject({ stopReason: "end_turn" })
    await client.disconnect()
  })

  test("one instance has one connection, also while it is being opened", async () => {
    await using client = make()
    expect(await failure(client.connect())).toBeInstanceOf(AlreadyConnectedError)
    await client.listSessions()
    expect(await failure(client.connect())).toBeInstanceOf(AlreadyConnectedError)
    expect(client.connected).toBe(true)
  })

  test("a connection that cannot be opened is told to whoever needs it", async () => {
    await using client = make({ token: "wrong" })
    const waiting = await failure(client.listSessions())
    expect(waiting).toBeInstanceOf(NotConnectedError)
    expect(waiting).toMatchObject({ cause: { kind: "problem", status: 401, code: "token_invalid" } })
    expect(await failure(client.listSessions())).toMatchObject({ kind: "not_connected", cause: { status: 401 } })
    expect(await failure(client.connect())).toMatchObject({ kind: "problem", code: "token_invalid" })
  })

  test("leaving while it connects settles everybody", async () => {
    using front = await startFront(daemon.baseUrl, () => undefined)
    const client = make({ baseUrl: front.baseUrl })
    const waiting = failure(client.listSessions())
    const signal = AbortSignal.abort()
    expect(await failure(client.listSessions({}, { signal }))).toMatchObject({ kind: "aborted", name: "AbortError" })
    expect(await failure(client.listSessions({}, { timeoutMs: 1 }))).toMatchObject({ kind: "timeout" })
    await client.disconnect()
    expect(await waiting).toBeInstanceOf(NotConnectedError)
    const stop = new AbortController()
    const connecting = failure(client.connect({ signal: stop.signal }))
    stop.abort()
    expect(await connecting).toMatchObject({ kind: "aborted" })
    expect(client.connected).toBe(false)
  })

  test("it goes on through a restart of the daemon; one that stays away is told", async () => {
    const client = make()
    const { id } = await client.newSession({ directory: daemon.home })
    await daemon.restart()
    expect(await client.prompt(id, "hello")).toMatchObject({ stopReason: "end_turn" })
    await client.disconnect()
    const events: ClientEvent[] = []
    const impatient = make({ limits: { ...quick, reconnectAttempts: 2 } })
    await impatient.listSessions()
    const told = new Promise((resolve) => impatient.onEvent((event) => resolve(events.push(event))))
    await daemon.end()
    await told
    expect(events).toMatchObject([{ type: "disconnected", error: { kind: "not_connected" } }])
    expect(await failure(impatient.listSessions())).toBeInstanceOf(NotConnectedError)
    await daemon.begin()
    await impatient.connect()
    expect((await impatient.listSessions()).sessions.length).toBeGreaterThan(0)
    await impatient.disconnect()
  })
})

describe("metadata", () => {
  test("goes in as fields, acts, and comes out as fields", async () => {
    await using client = make()
    const request = {
      id: "fields",
      directory: daemon.home,
      title: "A title",
      agentMode: "plan",
      permissionMode: "acceptEdits" as const,
      metadata: { ticket: 42, tags: ["a"] },
    }
    const opened = await client.newSession(request)
    expect(opened).toMatchObject({ id: "fields", agent: "mock", healthy: true, agentMode: "plan" })
    expect(opened.agentModes.map(({ id }) => id)).toEqual(expect.arrayContaining(["build", "plan"]))
    expect(opened.options.map(({ id }) => id)).toEqual(expect.arrayContaining(["mode", "permission_mode"]))
    const { id, directory, title, agentMode, permissionMode } = request
    const facts = { id, directory, title, agentMode, permissionMode, agent: "mock" }
    const stored = await client.getSession("fields")
    expect(stored).toMatchObject({ ...facts, metadata: request.metadata })
    const listed = (await client.listSessions({ directory: daemon.home })).sessions.find((one) => one.id === "fields")
    expect(listed).toMatchObject({
      ...facts,
      ended: false,
      createdAt: stored.createdAt,
      eventCount: expect.any(Number),
      metadata: { ticket: 42, tags: ["a"] },
    })
    await client.setMetadata("fields", { title: "Another", ticket: 43 })
    const changed = (await client.listSessions()).sessions.find((one) => one.id === "fields")
    expect(changed).toMatchObject({ title: "Another", metadata: { ticket: 43, tags: ["a"] } })
    expect(await client.getSession("fields")).toMatchObject({ title: "Another" })
  })

  test("a session made by plain requests is listed the same, and can be opened here", async () => {
    await using client = make()
    await client.createSession("plain", { agent: "mock", directory: daemon.home, title: "Plain", metadata: { own: 1 } })
    const listed = (await client.listSessions({ agent: "mock" })).sessions.find(({ id }) => id === "plain")
    expect(listed).toMatchObject({ agent: "mock", title: "Plain", agentMode: "build", metadata: { own: 1 } })
    expect(await client.loadSession("plain")).toMatchObject({ id: "plain", healthy: true })
    expect(await client.prompt("plain", "hello")).toMatchObject({
      stopReason: "end_turn",
      messageId: expect.any(String),
    })
  })
})

describe("session calls", () => {
  test("settings, models, forks", async () => {
    await using client = make()
    const { id } = await client.newSession({ directory: daemon.home })
    await client.setSessionMode(id, "plan")
    const options = await client.setSessionConfigOption(id, "permission_mode", "acceptEdits")
    expect(options.find((option) => option.id === "permission_mode")).toMatchObject({
      value: "acceptEdits",
      choices: expect.arrayContaining([expect.objectContaining({ id: "bypass" })]),
    })
    const { models, defaultModel } = await client.listModels({ sessionId: id })
    expect(models.map((model) => model.id)).toContain(defaultModel)
    expect(await client.listModels({ agent: "mock" })).toMatchObject({ defaultModel })
    const other = models.find((model) => model.id !== defaultModel)?.id ?? ""
    await client.setSessionModel(id, other)
    expect(await client.getSession(id)).toMatchObject({
      agentMode: "plan",
      permissionMode: "acceptEdits",
      model: other,
    })
    await client.prompt(id, "hello")
    const forked = await client.forkSession(id, { id: `${id}-fork`, title: "Fork" })
    expect(forked).toMatchObject({ id: `${id}-fork`, forkedAtSequence: expect.any(Number) })
    expect(await client.getSession(forked.id)).toMatchObject({ title: "Fork", directory: daemon.home })
    await client.detachSession(id)
    expect(await client.getSession(id)).toMatchObject({ status: "idle" })
  })

  test("a session that ends, and a line that is not understood, are events", async () => {
    await using client = make()
    const events: ClientEvent[] = []
    const unsubscribe = client.onEvent((event) => events.push(event))
    const { id } = await client.newSession({ directory: daemon.home })
    await client.prompt(id, "/garbage")
    await client.terminateSession(id)
    await expect.poll(() => events.map(({ type }) => type)).toEqual(["agent.unparsed", "session.ended"])
    expect(events).toMatchObject([
      { sessionId: id, error: expect.any(String), location: expect.any(String) },
      { sessionId: id, reason: "terminated", terminatedBy: "daemon" },
    ])
    const logged = (await client.getEvents(id)).events.find((event) => event.type === "agent.unparsed")
    expect(events[0]).toMatchObject({ error: logged?.data.error, location: logged?.data.location })
    unsubscribe()
    await client.resumeSession(id)
    expect(await client.prompt(id, "/echo back")).toMatchObject({ stopReason: "end_turn" })
    await client.terminateSession(id)
    expect(await client.listSessions()).toMatchObject({ sessions: expect.any(Array) })
    expect(events).toHaveLength(2)
  })

  test("a permission stays open until somebody answers it", async () => {
    await using client = make()
    const { id } = await client.newSession({ directory: daemon.home })
    const turn = client.prompt(id, "/permission true")
    await expect.poll(async () => (await client.listPending(id)).permissions.length).toBe(1)
    const permission = (await client.listPending(id)).permissions[0]
    await client.replyPermission(id, permission?.permission_id ?? "", "once")
    expect(await turn).toMatchObject({ stopReason: "end_turn" })
  })

  test("cancelling and aborting end a turn", async () => {
    await using client = make()
    const { id } = await client.newSession({ directory: daemon.home })
    const running = () => expect.poll(async () => (await client.getSession(id)).status).toBe("running")
    const cancelled = client.prompt(id, "/sleep 600000")
    await running()
    await client.cancel(id)
    expect(await cancelled).toMatchObject({ stopReason: "cancelled" })
    const stop = new AbortController()
    const aborted = failure(client.prompt(id, "/sleep 600000", { signal: stop.signal }))
    await running()
    stop.abort()
    expect(await aborted).toMatchObject({ kind: "aborted", name: "AbortError" })
    await expect.poll(async () => (await client.getSession(id)).status).toBe("idle")
  })

  test("errors are typed: of the daemon, and of a turn", async () => {
    await using client = make()
    expect(await failure(client.prompt("nobody", "hello"))).toMatchObject({
      kind: "session",
      code: "session_not_found",
    })
    const { id } = await client.newSession({ directory: daemon.home })
    expect(await failure(client.newSession({ id, directory: daemon.home }))).toMatchObject({
      code: "session_already_exists",
    })
    expect(await failure(client.setSessionModel(id, "none"))).toMatchObject({
      kind: "session",
      code: expect.any(String),
    })
    expect(await failure(client.prompt(id, "/crash 3"))).toMatchObject({
      kind: "session",
      code: "agent_process_exited",
    })
    const images = [
      { type: "text" as const, text: "look" },
      { type: "image" as const, data: "AAAA", mimeType: "image/png" },
      { type: "file" as const, path: `${daemon.home}/none.txt` },
    ]
    expect(await client.prompt(id, images)).toMatchObject({ stopReason: "end_turn" })
  })
})

/** An agent that asks its client something in words of its own, and tells how that was answered. */
const askingAgent = `
const say = (message) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\\n")
let prompt
require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, error } = JSON.parse(line)
  if (method === "initialize") say({ id, result: { protocolVersion: 1, agentCapabilities: {} } })
  else if (method === "session/new") say({ id, result: { sessionId: "one" } })
  else if (method === "session/prompt") {
    prompt = id
    say({ id: "odd", method: "vendor/needs_this", params: { sessionId: "one" } })
  } else if (id === "odd") {
    const content = { type: "text", text: "answered " + error?.code }
    say({ method: "session/update", params: { sessionId: "one", update: { sessionUpdate: "agent_message_chunk", content } } })
    say({ id: prompt, result: { stopReason: "end_turn" } })
  }
})`

test("what an agent asks in words of its own is refused, and its turn goes on", async () => {
  const cmd = join(daemon.home, "asking")
  writeFileSync(cmd, `#!/bin/sh\nexec ${process.execPath} --no-env-file ${cmd}.js\n`)
  writeFileSync(`${cmd}.js`, askingAgent)
  chmodSync(cmd, 0o755)
  const file = join(daemon.home, "agents.json")
  const agents = [{ id: "asking", name: "Asking", distribution: { command: { cmd } } }]
  writeFileSync(file, JSON.stringify({ agents }))
  await using asking = await TestDaemon.start("--agents-file", file, "--interval", "passedOnMs=600000")
  await using client = make({ baseUrl: asking.baseUrl, agent: "asking" })
  const { id } = await client.newSession({ directory: asking.home })
  expect(await client.prompt(id, "go on")).toMatchObject({ stopReason: "end_turn" })
  expect(JSON.stringify((await client.listItems(id)).items)).toContain("answered -32601")
})

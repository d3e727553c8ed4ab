import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, expect, test } from "vitest"
import { SandboxAgentClient } from "../src/sandbox-agent.ts"
import { TestDaemon, token } from "./harness/daemon.ts"
import { writeExecutable } from "./harness/executable.ts"

const home = mkdtempSync(join(tmpdir(), "sandbox-agent-dispose-"))
let daemon: TestDaemon
beforeAll(async () => {
  daemon = await TestDaemon.start()
})
afterAll(async () => {
  await daemon[Symbol.asyncDispose]()
  rmSync(home, { recursive: true, force: true })
})

/** What a promise was rejected with; nothing here is waited out, the back-off of the streams would take minutes. */
const failure = (work: Promise<unknown>) =>
  work.then(
    () => expect.unreachable("it resolved"),
    (error) => ({ kind: error.kind, message: error.message }),
  )

async function everythingOpen(client: SandboxAgentClient) {
  const session = await client.startSession({ agent: "mock", directory: home })
  session.onEvent(() => undefined)
  session.onPermission(() => undefined)
  const leave = session.transcript.subscribe(() => undefined)
  const events = session.events()
  await events.next()
  const terminal = await client.terminals.open({ shell: "exec cat" })
  const shown = new Promise<void>((resolve) => terminal.onState((state) => state === "open" && resolve()))
  terminal.onData(() => undefined)
  await shown
  const began = new Promise<void>((resolve) => session.onEvent(({ type }) => type === "turn.started" && resolve()))
  const other = client.newSession({ directory: home, agent: "mock" })
  const pending = {
    prompt: failure(session.prompt("/sleep 600000")),
    events: failure(
      (async () => {
        for await (const _ of events);
      })(),
    ),
    exited: failure(terminal.exited),
    run: failure(client.run("sleep 600")),
    call: failure(other.then(({ id }) => client.prompt(id, "/sleep 600000"))),
  }
  await began
  await expect.poll(() => session.transcript.getSnapshot().session?.status).toBe("running")
  const { id } = await other
  await expect.poll(async () => (await client.getSession(id)).status).toBe("running")
  return { session, terminal, pending, leave }
}

test("everything that a client waits for ends with it, and nothing of it is reported", async () => {
  const reported: Error[] = []
  const client = new SandboxAgentClient({ baseUrl: daemon.baseUrl, token, onError: (error) => reported.push(error) })
  const { session, terminal, pending, leave } = await everythingOpen(client)
  await client.dispose()
  expect(await pending.prompt).toMatchObject({ kind: "aborted", message: expect.stringContaining("client disposed") })
  expect(await pending.events).toMatchObject({ kind: "aborted", message: expect.stringContaining("was disposed") })
  expect(await pending.run).toMatchObject({ kind: "aborted" })
  expect(await pending.exited).toMatchObject({ kind: "aborted" })
  expect(await pending.call).toMatchObject({ kind: "not_connected" })
  expect(terminal.state).toBe("disposed")
  await expect.poll(() => session.transcript.getSnapshot().error?.kind).toBe("aborted")
  leave()

  // Later calls are told the same, at once.
  for (const late of [client.getHealth(), session.send("hello"), session.events().next(), client.terminals.open()])
    expect(await failure(late)).toMatchObject({ kind: "aborted", message: expect.stringContaining("was disposed") })
  expect(reported).toEqual([])

  // The turn is the daemon's, and goes on.
  const other = new SandboxAgentClient({ autoConnect: false, baseUrl: daemon.baseUrl, token })
  expect(await other.session(session.id).info()).toMatchObject({ status: "running" })
  await other.session(session.id).cancel()
  await other.terminals.close(terminal.id)
})

test("also where its daemon was its own", async () => {
  const binaryPath = join(home, "bin/sandbox-agent")
  writeExecutable(binaryPath)
  const spawn = { binaryPath, env: { XDG_DATA_HOME: join(home, "data") }, timeoutMs: 50_000 }
  const client = await SandboxAgentClient.start({ spawn })
  const { pending, leave } = await everythingOpen(client)
  await client.dispose()
  const { call, ...others } = pending
  for (const ended of Object.values(others)) expect(await ended).toMatchObject({ kind: "aborted" })
  expect(await call).toMatchObject({ kind: "not_connected" })
  leave()
})

test("a client whose daemon is gone is let go of all the same, and that is told", async () => {
  const gone = await TestDaemon.start()
  const reported: Error[] = []
  const onError = (error: Error) => reported.push(error)
  {
    await using client = new SandboxAgentClient({ baseUrl: gone.baseUrl, token, autoConnect: false, onError })
    await client.connect()
    await gone.end()
  }
  expect(reported.filter(({ message }) => message.startsWith("Disconnecting"))).toMatchObject([{ kind: "network" }])
  await gone[Symbol.asyncDispose]()
})

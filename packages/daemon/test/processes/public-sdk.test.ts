import { pathToFileURL } from "node:url"
import { fetched } from "@sandbox-agent/test-agents/fetched"
import { expect, test } from "vitest"
import { startDaemon } from "../harness/daemon.ts"

const file = fetched({ name: "sandbox-agent-0.4.2", spec: "sandbox-agent@0.4.2", file: "sandbox-agent/dist/index.js" })

interface Process {
  id: string
  status: string
  exitCode?: number | null
}
interface Entry {
  sequence: number
  stream: string
  data: string
  encoding: string
}
/** The part of the public SDK 0.4.2 that is about processes and terminals, as its `dist/index.d.ts` has it. */
interface Sdk {
  getProcessConfig(): Promise<Record<string, number>>
  setProcessConfig(config: Record<string, number>): Promise<Record<string, number>>
  createProcess(request: object): Promise<Process>
  runProcess(request: object): Promise<{ exitCode?: number | null; stdout: string; stderr: string; timedOut: boolean }>
  listProcesses(query?: object): Promise<{ processes: Process[] }>
  getProcess(id: string): Promise<Process>
  stopProcess(id: string, query?: object): Promise<Process>
  killProcess(id: string, query?: object): Promise<Process>
  deleteProcess(id: string): Promise<void>
  getProcessLogs(id: string, query?: object): Promise<{ entries: Entry[]; processId: string; stream: string }>
  followProcessLogs(
    id: string,
    listener: (entry: Entry) => void,
    query?: object,
  ): Promise<{ close(): void; closed: Promise<void> }>
  sendProcessInput(id: string, request: object): Promise<{ bytesWritten: number }>
  resizeProcessTerminal(id: string, request: object): Promise<{ cols: number; rows: number }>
  buildProcessTerminalWebSocketUrl(id: string, options?: object): string
  connectProcessTerminalWebSocket(id: string, options?: object): WebSocket
  connectProcessTerminal(id: string, options?: object): TerminalSession
  dispose(): Promise<void>
}
interface TerminalSession {
  onReady(listener: (status: { type: string; processId: string }) => void): () => void
  onData(listener: (data: Uint8Array) => void): () => void
  onExit(listener: (status: { exitCode?: number | null }) => void): () => void
  onError(listener: (error: unknown) => void): () => void
  sendInput(data: string | Uint8Array): void
  resize(size: { cols: number; rows: number }): void
  close(): void
  closed: Promise<void>
}

const text = (entries: Entry[]) => entries.map(({ data }) => Buffer.from(data, "base64").toString()).join("")

async function connected(url: string, token: string): Promise<Sdk> {
  const { SandboxAgent } = (await import(pathToFileURL(file).href)) as {
    SandboxAgent: { connect(options: object): Promise<Sdk> }
  }
  return SandboxAgent.connect({ baseUrl: url, token })
}

test("the public SDK 0.4.2: every call for processes", async () => {
  await using daemon = await startDaemon()
  const sdk = await connected(daemon.url, daemon.token)
  const config = await sdk.getProcessConfig()
  expect(Object.keys(config).toSorted((a, b) => a.localeCompare(b))).toEqual([
    ...["defaultRunTimeoutMs", "maxConcurrentProcesses", "maxInputBytesPerRequest"],
    ...["maxLogBytesPerProcess", "maxOutputBytes", "maxRunTimeoutMs"],
  ])
  expect(await sdk.setProcessConfig({ ...config, maxConcurrentProcesses: 10 })).toMatchObject({
    maxConcurrentProcesses: 10,
  })
  const run = { command: "sh", args: ["-c", "echo $X; echo err >&2; exit 3"], cwd: null, env: { X: "x" } }
  expect(await sdk.runProcess({ ...run, timeoutMs: 20_000, maxOutputBytes: null })).toMatchObject({
    ...{ exitCode: 3, stdout: "x\n", stderr: "err\n", timedOut: false },
    ...{ stdoutTruncated: false, stderrTruncated: false, durationMs: expect.any(Number) },
  })
  expect(await sdk.runProcess({ command: "sleep", args: ["100"], timeoutMs: 100 })).toMatchObject({
    ...{ timedOut: true, exitCode: null },
  })
  await expect(sdk.runProcess({ command: "no-such-program-here" })).rejects.toMatchObject({ status: 400 })

  const started = await sdk.createProcess({ command: "cat", args: [], interactive: true })
  expect(started).toMatchObject({
    ...{ id: expect.any(String), command: "cat", args: [], tty: false, interactive: true, owner: "user" },
    ...{ status: "running", pid: expect.any(Number), createdAtMs: expect.any(Number) },
  })
  const { id } = started
  const seen: Entry[] = []
  const two = Promise.withResolvers<void>()
  const following = await sdk.followProcessLogs(id, (entry) => {
    seen.push(entry)
    if (text(seen).includes("second")) two.resolve()
  })
  expect(await sdk.sendProcessInput(id, { data: Buffer.from("first\n").toString("base64") })).toEqual({
    bytesWritten: 6,
  })
  expect(await sdk.sendProcessInput(id, { data: "second\n", encoding: "utf8" })).toEqual({ bytesWritten: 7 })
  await two.promise
  following.close()
  await following.closed
  expect(text(seen)).toBe("first\nsecond\n")
  expect(seen[0]).toMatchObject({ sequence: 1, stream: "stdout", encoding: "base64", timestampMs: expect.any(Number) })
  const logs = await sdk.getProcessLogs(id, { stream: "stdout", tail: 1 })
  expect(logs).toMatchObject({ processId: id, stream: "stdout" })
  expect(logs.entries).toHaveLength(1)
  expect(text((await sdk.getProcessLogs(id, { since: 1 })).entries)).toBe(text(seen.slice(1)))
  await expect(sdk.deleteProcess(id)).rejects.toMatchObject({ status: 409 })
  const { processes } = await sdk.listProcesses({ owner: "user" })
  expect(processes.map((one) => one.id)).toEqual([id])
  expect(await sdk.listProcesses({ owner: "desktop" })).toEqual({ processes: [] })
  expect(await sdk.stopProcess(id, { waitMs: 20_000 })).toMatchObject({ id, status: "exited" })
  expect(await sdk.getProcess(id)).toMatchObject({ id, status: "exited", exitedAtMs: expect.any(Number) })
  await expect(sdk.sendProcessInput(id, { data: "eA==" })).rejects.toMatchObject({ status: 409 })
  await sdk.deleteProcess(id)
  await expect(sdk.getProcess(id)).rejects.toMatchObject({ status: 404 })
  const other = await sdk.createProcess({ command: "sleep", args: ["1000"] })
  expect(await sdk.killProcess(other.id, { waitMs: 20_000 })).toMatchObject({ status: "exited" })
  await expect(sdk.resizeProcessTerminal(other.id, { cols: 80, rows: 24 })).rejects.toMatchObject({ status: 409 })
  await sdk.dispose()
})

test("the public SDK 0.4.2: every call for terminals, its token in the address", async () => {
  await using daemon = await startDaemon()
  const sdk = await connected(daemon.url, daemon.token)
  const { id } = await sdk.createProcess({ command: "sh", tty: true, interactive: true, env: { PS1: "> " } })
  expect(await sdk.resizeProcessTerminal(id, { cols: 101, rows: 31 })).toEqual({ cols: 101, rows: 31 })
  expect(sdk.buildProcessTerminalWebSocketUrl(id)).toBe(
    `${daemon.url.replace("http", "ws")}/v1/processes/${id}/terminal/ws?access_token=${daemon.token}`,
  )
  const session = sdk.connectProcessTerminal(id)
  const problems: unknown[] = []
  let shown = ""
  const waits: { pattern: RegExp; done: () => void }[] = []
  const shows = (pattern: RegExp) => {
    if (pattern.test(shown)) return Promise.resolve()
    return new Promise<void>((done) => waits.push({ pattern, done }))
  }
  session.onError((error) => problems.push(error))
  session.onData((data) => {
    shown += Buffer.from(data).toString()
    for (const { pattern, done } of waits) if (pattern.test(shown)) done()
  })
  const ready = new Promise((resolve) => session.onReady(resolve))
  const exit = new Promise((resolve) => session.onExit(resolve))
  expect(await ready).toMatchObject({ type: "ready", processId: id })
  session.sendInput("stty size\n")
  await shows(/31 101/)
  session.resize({ cols: 77, rows: 22 })
  session.sendInput(Buffer.from("stty size; tty\n"))
  await shows(/22 77[\s\S]*\/dev\//)
  session.sendInput("exit 4\n")
  expect(await exit).toMatchObject({ type: "exit", exitCode: 4 })
  await session.closed
  const { entries, stream } = await sdk.getProcessLogs(id, { stream: "pty" })
  expect([stream, entries[0]?.stream]).toEqual(["pty", "pty"])
  expect(problems).toEqual([])

  const second = await sdk.createProcess({ command: "cat", tty: true })
  const raw = sdk.connectProcessTerminalWebSocket(second.id)
  await new Promise((resolve) => raw.addEventListener("open", resolve))
  raw.close()
  const closing = sdk.connectProcessTerminal(second.id)
  await new Promise((resolve) => closing.onReady(resolve))
  closing.close()
  await closing.closed
  expect(await sdk.getProcess(second.id)).toMatchObject({ status: "running", tty: true })
  const wrong = sdk.connectProcessTerminalWebSocket(second.id, { accessToken: "wrong" })
  await new Promise((resolve) => wrong.addEventListener("error", resolve))
  await sdk.killProcess(second.id)
  await sdk.dispose()
  expect(daemon.stdout() + daemon.stderr()).not.toContain(daemon.token)
})

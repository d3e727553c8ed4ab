import { Terminal as Xterm } from "@xterm/headless"
import { afterAll, beforeAll, expect, test } from "vitest"
import { type Line, startProxy } from "../../acp-http-client/test/servers/proxy.ts"
import { SandboxAgentClient, type Terminal, type TerminalState } from "../src/sandbox-agent.ts"
import { TestDaemon, token } from "./harness/daemon.ts"
import { isAlive } from "./harness/executable.ts"

let daemon: TestDaemon
let line: Line
let client: SandboxAgentClient
const quick = { pauseMinMs: 2, pauseMaxMs: 20, reconnectAttempts: Number.POSITIVE_INFINITY }
beforeAll(async () => {
  daemon = await TestDaemon.start()
  line = await startProxy(daemon.baseUrl)
  client = new SandboxAgentClient({ autoConnect: false, baseUrl: line.url, token, limits: quick })
})
afterAll(async () => {
  line.stop()
  await daemon[Symbol.asyncDispose]()
})

const plain = { shell: "exec sh", env: { PS1: "$ ", ENV: "" } }
const screenOf = (cols = 80, rows = 24) => new Xterm({ cols, rows, allowProposedApi: true, logLevel: "off" })

function textOf({ buffer: { active } }: Xterm): string {
  return Array.from({ length: active.length }, (_, at) => active.getLine(at)?.translateToString(true) ?? "").join("\n")
}

const shows = (screen: Xterm, pattern: RegExp) => expect.poll(() => textOf(screen)).toMatch(pattern)
/** Its program has written this, seen without looking at the terminal. */
async function written({ processes }: SandboxAgentClient, { id }: Terminal, text: string): Promise<void> {
  let all = ""
  for await (const event of processes.follow(id)) {
    if (event.type === "log") all += atob(event.data)
    if (all.includes(text)) return
  }
  expect.unreachable("it ended before")
}

const statesOf = (terminal: Terminal): TerminalState[] => {
  const states: TerminalState[] = []
  terminal.onState((state) => states.push(state))
  return states
}

test("is shown on an xterm, typed into, and takes its size", async () => {
  using terminal = await client.terminals.open(plain)
  expect(terminal.state).toBe("idle")
  const screen = screenOf(90, 20)
  terminal.attach(screen)
  screen.input("stty size; echo typed-$((1+1))\r")
  await shows(screen, /20 90\n[\s\S]*typed-2/)
  screen.resize(70, 15)
  screen.input("stty size\r")
  await shows(screen, /15 70/)
  // Another viewer says another size.
  using other = await client.terminals.attach(terminal.id)
  const theirs = screenOf(60, 10)
  other.attach(theirs)
  await expect.poll(() => [screen.cols, screen.rows, terminal.cols, terminal.rows]).toEqual([60, 10, 60, 10])
  await shows(theirs, /typed-2/)
  screen.input("exit 7\r")
  expect(await terminal.exited).toEqual({ exitCode: 7, signal: null })
  expect(await other.exited).toEqual({ exitCode: 7, signal: null })
  expect(terminal.state).toBe("exited")
  expect(terminal.write("more")).toBe(false)
  using late = await client.terminals.attach(terminal.id)
  const last = screenOf()
  late.attach(last)
  expect(await late.exited).toEqual({ exitCode: 7, signal: null })
  await shows(last, /typed-2/)
})

test("after a cut it goes on with the whole screen; what was typed meanwhile arrives", async () => {
  using terminal = await client.terminals.open(plain)
  const states = statesOf(terminal)
  const screen = screenOf()
  terminal.attach(screen)
  terminal.write("echo first-$((1+1))\r")
  await shows(screen, /first-2/)
  line.stalled = true
  line.cutAll()
  await expect.poll(() => states).toContain("reconnecting")
  // Said and typed while nothing passes.
  terminal.write("stty size; echo second-$((1+1))\r")
  terminal.resize(100, 30)
  line.stalled = false
  line.cutAll()
  await shows(screen, /first-2[\s\S]*30 100[\s\S]*second-2/)
  expect(states).toEqual(["connecting", "open", "reconnecting", "open"])
  // Drawn anew, not once more below. Behind the prompt, if the shell began to read after it was typed.
  expect(textOf(screen).match(/first-2$/gm)).toHaveLength(1)
})

test("a line that is open and dead is noticed, and nothing that was typed into it twice; one that is only quiet stays", async () => {
  const errors: Error[] = []
  const watchful = new SandboxAgentClient({
    autoConnect: false,
    baseUrl: line.url,
    token,
    limits: { ...quick, stallMs: 1500 },
    onError: (error) => errors.push(error),
  })
  using terminal = await watchful.terminals.open(plain)
  const states = statesOf(terminal)
  const screen = screenOf()
  terminal.attach(screen)
  terminal.write("echo first-$((1+1))\r")
  await shows(screen, /first-2/)
  const asked = line.bytesIn
  // It has asked more often than it may in vain.
  await expect.poll(() => line.bytesIn - asked).toBeGreaterThan(4 * '{"type":"ping"}'.length)
  expect(states).toEqual(["connecting", "open"])
  line.stalled = true
  await expect.poll(() => states).toEqual(["connecting", "open", "reconnecting"])
  line.stalled = false
  // What was opened meanwhile is dead as well.
  line.cutAll()
  terminal.write("echo second-$((1+1))\r")
  await shows(screen, /first-2[\s\S]*second-2/)
  expect(textOf(screen).match(/second-2$/gm)).toHaveLength(1)
  expect(errors).toEqual([])
})

test("a daemon that is killed takes its programs with it: their end is told", async () => {
  using terminal = await client.terminals.open(plain)
  const screen = screenOf()
  terminal.attach(screen)
  terminal.write("echo kept-$((1+1))\r")
  await shows(screen, /kept-2/)
  await daemon.restart()
  expect(await terminal.exited).toMatchObject({ exitCode: null })
  using again = await client.terminals.attach(terminal.id)
  expect(await again.exited).toMatchObject({ exitCode: null })
})

test("a screen that is slow gets the screen as it is then, not all that was written", async () => {
  const small = new SandboxAgentClient({
    autoConnect: false,
    baseUrl: daemon.baseUrl,
    token,
    limits: { ...quick, terminalBytes: 64 * 1024 },
  })
  using terminal = await small.terminals.open(plain)
  const screen = screenOf()
  const waiting: (() => void)[] = []
  let given = 0
  let isSlow = true
  terminal.onReset(() => screen.write("\x1bc"))
  terminal.onData((bytes) => {
    given += bytes.length
    return new Promise<void>((resolve) => {
      const take = () => screen.write(bytes, resolve)
      if (isSlow) waiting.push(take)
      else take()
    })
  })
  const states = statesOf(terminal)
  terminal.write("seq 1 300000; echo over-$((1+1))\r")
  await expect.poll(() => states).toContain("idle")
  const held = given
  // Without a viewer its program goes on to its end.
  using other = await small.terminals.attach(terminal.id)
  const theirs = screenOf()
  other.attach(theirs)
  await shows(theirs, /over-2/)
  expect(given).toBe(held)
  isSlow = false
  for (const take of waiting.splice(0)) take()
  await shows(screen, /299999\n300000\nover-2/)
  expect(given).toBeLessThan(1_500_000)
})

test("who comes later gets the screen, and nobody is connected while nobody listens", async () => {
  using terminal = await client.terminals.open(plain)
  const exited = terminal.exited
  expect(terminal.write("echo early-$((1+1))\r")).toBe(true)
  await written(client, terminal, "early-2")
  const screen = screenOf()
  const leave = terminal.attach(screen)
  await shows(screen, /early-2/)
  leave()
  terminal.dispose()
  await expect(exited).rejects.toMatchObject({ kind: "aborted" })
  await expect.poll(async () => (await client.terminals.get(terminal.id)).viewers).toBe(0)
  const { pid = 0 } = await client.terminals.get(terminal.id)
  expect(isAlive(pid)).toBe(true)
  await client.terminals.close(terminal.id)
  await expect.poll(() => isAlive(pid)).toBe(false)
})

test("one that is left while its line is made stays left", async () => {
  const asked = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  let calls = Number.NEGATIVE_INFINITY
  const slow = new SandboxAgentClient({
    autoConnect: false,
    baseUrl: daemon.baseUrl,
    token,
    limits: quick,
    // The first call is for the ticket, the second for the WebSocket.
    headers: async () => {
      if (++calls === 2) {
        asked.resolve()
        await released.promise
      }
      return {}
    },
  })
  using terminal = await slow.terminals.open(plain)
  const states = statesOf(terminal)
  calls = 0
  terminal.attach(screenOf())
  await asked.promise
  terminal.dispose()
  released.resolve()
  using other = await slow.terminals.attach(terminal.id)
  const screen = screenOf()
  other.attach(screen)
  other.write("echo theirs-$((1+1))\r")
  await shows(screen, /theirs-2/)
  expect(states).toEqual(["connecting", "disposed"])
  await expect.poll(async () => (await client.terminals.get(terminal.id)).viewers).toBe(1)
  await client.terminals.close(terminal.id)
})

test("input that finds no line is bounded; a long paste arrives whole", async () => {
  const small = new SandboxAgentClient({
    autoConnect: false,
    baseUrl: daemon.baseUrl,
    token,
    limits: { terminalInputBytes: 300_000 },
  })
  using terminal = await small.terminals.open({
    shell: "stty -icanon -echo; echo ready; head -c 200000 | wc -c; exec sleep 600",
  })
  // Before that its letters are kept by line.
  await written(small, terminal, "ready")
  expect(terminal.write("x".repeat(300_001))).toBe(false)
  expect(terminal.write("x".repeat(200_000))).toBe(true)
  expect(terminal.write("x".repeat(200_000))).toBe(false)
  const screen = screenOf()
  terminal.attach(screen)
  await shows(screen, /200000/)
  await small.terminals.close(terminal.id)
})

test("one that is forgotten is lost, with the reason; a listener that throws is reported", async () => {
  const errors: Error[] = []
  const telling = new SandboxAgentClient({
    autoConnect: false,
    baseUrl: daemon.baseUrl,
    token,
    limits: quick,
    onError: (error) => errors.push(error),
  })
  using terminal = await telling.terminals.open(plain)
  await telling.terminals.close(terminal.id)
  await expect(terminal.exited).rejects.toMatchObject({ kind: "problem", code: "not_found" })
  expect(terminal.state).toBe("lost")
  using other = await telling.terminals.open(plain)
  other.onData(() => {
    throw new Error("not mine")
  })
  await expect.poll(() => errors.map(({ message }) => message)).toContain("A listener threw: Error: not mine")
  await telling.terminals.close(other.id)
})

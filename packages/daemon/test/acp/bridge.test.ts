import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { limits } from "@sandbox-agent/schema/limits"
import { daemonProgram } from "@sandbox-agent/test-agents/daemon-program"
import { fetched } from "@sandbox-agent/test-agents/fetched"
import { keptPort } from "@sandbox-agent/test-agents/kept-port"
import { expect, test } from "vitest"
import { cleanEnvironment, cli } from "../cli/spawn.ts"
import { scratch, startDaemon } from "../harness/daemon.ts"
import { type Message, saidIn, text } from "./wire.ts"

/** The command as an editor starts it: lines in, lines out. */
class Editor implements AsyncDisposable {
  readonly messages: Message[] = []
  readonly #child
  readonly exited: Promise<number>
  readonly #wake = new Set<() => void>()
  stderr = ""
  #next = 0

  constructor(args: string[], env: Record<string, string> = {}) {
    const data = { XDG_DATA_HOME: scratch() }
    this.#child = Bun.spawn([...daemonProgram(), "acp", ...args], {
      env: { ...cleanEnvironment, ...data, ...env },
      cwd: scratch(),
      stdin: "pipe",
      stdout: "pipe",
      stderr: "pipe",
    })
    this.exited = this.#child.exited
    void this.#read()
    void new Response(this.#child.stderr).text().then((text) => {
      this.stderr = text
    })
  }

  write(line: string): void {
    this.#child.stdin.write(`${line}\n`)
    void this.#child.stdin.flush()
  }

  async ask(method: string, params: object): Promise<Message> {
    const id = this.#next++
    this.write(JSON.stringify({ jsonrpc: "2.0", id, method, params }))
    return await this.until((message) => message.id === id && message.method === undefined)
  }

  async begin(): Promise<string> {
    await this.ask("initialize", { protocolVersion: 1 })
    const { result, error } = await this.ask("session/new", { cwd: "/tmp", mcpServers: [] })
    if (error !== undefined) throw new Error(error.message)
    return String(result?.sessionId)
  }

  async until(condition: (message: Message) => boolean): Promise<Message> {
    for (;;) {
      const found = this.messages.find(condition)
      if (found !== undefined) return found
      await new Promise<void>((resolve) => this.#wake.add(resolve))
    }
  }

  end(): void {
    void this.#child.stdin.end()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill("SIGTERM")
    await this.exited
  }

  async #read(): Promise<void> {
    let rest = ""
    const decoder = new TextDecoder()
    for await (const chunk of this.#child.stdout) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n")
      rest = lines.pop() ?? ""
      // Nothing but the protocol may stand on stdout.
      for (const line of lines) this.messages.push(JSON.parse(line))
      for (const wake of [...this.#wake]) wake()
      this.#wake.clear()
    }
  }
}

test("without a daemon it brings its own, speaks pure lines, and takes it with it", async () => {
  await using editor = new Editor(["--agent", "mock"])
  const sessionId = await editor.begin()
  const answer = await editor.ask("session/prompt", { sessionId, prompt: text("one two") })
  expect(answer.result).toMatchObject({ stopReason: "end_turn" })
  expect(saidIn(editor.messages)).toBe("one two")
  editor.write("{")
  expect(await editor.until(({ error }) => error?.code === -32700)).toMatchObject({ id: null })
  editor.end()
  expect(await editor.exited).toBe(0)
})

test("input that ends is answered to its end first", async () => {
  await using editor = new Editor(["--agent", "mock"])
  const sessionId = await editor.begin()
  const answer = editor.ask("session/prompt", { sessionId, prompt: text("/flood 50 100") })
  editor.end()
  expect((await answer).result).toMatchObject({ stopReason: "end_turn" })
  expect(await editor.exited).toBe(0)
})

test("with --endpoint it uses that daemon; its end leaves the session there", async () => {
  await using daemon = await startDaemon()
  await using editor = new Editor(["--agent", "mock", "--endpoint", daemon.url, "--token", daemon.token])
  const sessionId = await editor.begin()
  const prompted = editor.ask("session/prompt", { sessionId, prompt: text("/permission echo yes") })
  const asked = await editor.until(({ method }) => method === "session/request_permission")
  editor.write(
    JSON.stringify({
      jsonrpc: "2.0",
      id: asked.id,
      result: { outcome: { outcome: "selected", optionId: "allow_once" } },
    }),
  )
  expect((await prompted).result).toMatchObject({ stopReason: "end_turn" })
  editor.end()
  expect(await editor.exited).toBe(0)
  expect((await daemon.api.session(sessionId)).status).toBe("idle")
  expect(await daemon.api.ok("GET", "/v1/acp")).toEqual({ servers: [] })
})

test("without an address it uses the daemon that runs", async () => {
  const data = scratch()
  const dataDir = join(data, "sandbox-agent")
  mkdirSync(dataDir)
  await using daemon = await startDaemon({ dataDir })
  await using editor = new Editor(["--agent", "mock"], { XDG_DATA_HOME: data })
  const sessionId = await editor.begin()
  expect((await daemon.api.session(sessionId)).agent).toBe("mock")
})

test("a wrong token or no daemon at the address is told on stderr, with the exit code of it", async () => {
  await using daemon = await startDaemon()
  await using stranger = new Editor(["--endpoint", daemon.url, "--token", "wrong"])
  expect(await stranger.exited).toBe(3)
  await using lost = new Editor(["--endpoint", "http://127.0.0.1:9", "--token", "x"])
  expect(await lost.exited).toBe(9)
})

test("a daemon that is killed and started again is not noticed, but for the turn that ended", async () => {
  const dataDir = scratch()
  const flags = ["--port", String(await keptPort())]
  const first = await startDaemon({ dataDir, flags })
  await using editor = new Editor(["--agent", "mock", "--endpoint", first.url, "--token", first.token])
  const sessionId = await editor.begin()
  const cut = editor.ask("session/prompt", { sessionId, prompt: text("/sleep 60000") })
  await first.api.until(sessionId, "turn.started")
  // Lines are taken one by one: with this one answered the prompt was taken, and not only begun.
  await editor.ask("session/list", {})
  first.kill("SIGKILL")
  await first.exited
  await using second = await startDaemon({ dataDir, flags })
  expect((await cut).error).toMatchObject({ data: { code: "daemon_restarted" } })
  const again = await editor.ask("session/prompt", { sessionId, prompt: text("alive") })
  expect(again.result).toMatchObject({ stopReason: "end_turn" })
  expect((await second.api.session(sessionId)).status).toBe("idle")
})

/** A headless ACP client that others wrote. */
const acpx = fetched({ name: "acpx-0.19.1", spec: "acpx@0.19.1", file: "acpx/dist/cli.js" })

test("acpx drives it: a permission is granted and the command's output comes back", async () => {
  const agent = [...daemonProgram(), "acp", "--agent", "mock"].join(" ")
  const flags = ["--agent", agent, "--format", "json", "--approve-all", "exec", "/permission echo from-acpx"]
  const child = Bun.spawn([process.execPath, acpx, ...flags], {
    env: { ...cleanEnvironment, HOME: scratch(), XDG_DATA_HOME: scratch() },
    cwd: scratch(),
    stdout: "pipe",
    stderr: "pipe",
  })
  const [stdout, code] = await Promise.all([child.stdout.text(), child.exited])
  const messages = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Message)
  expect(code, await child.stderr.text()).toBe(0)
  expect(messages.some(({ method }) => method === "session/request_permission")).toBe(true)
  expect(messages.some((message) => JSON.stringify(message).includes('"text":"from-acpx\\n"'))).toBe(true)
  expect(messages.at(-1)?.result).toMatchObject({ stopReason: "end_turn" })
}, 120_000)

test("a line beyond requestBodyBytes ends the command, counted in bytes", async () => {
  await using daemon = await startDaemon()
  const stdin = "語".repeat(limits.requestBodyBytes / 3 + 1)
  const { code, stderr } = await cli(["acp", "--endpoint", daemon.url, "--token", daemon.token], { stdin })
  expect([code, stderr]).toEqual([2, expect.stringContaining(`longer than ${limits.requestBodyBytes} bytes`)])
})

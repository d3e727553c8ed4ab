import { spawn, spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { inspect } from "node:util"
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest"
import { local } from "../src/sandbox/local.ts"
import { SandboxAgentClient, spawnSandboxAgent } from "../src/sandbox-agent.ts"
import { isAlive, writeExecutable, writeProgram } from "./harness/executable.ts"

const home = mkdtempSync(join(tmpdir(), "sandbox-agent-embedded-"))
const binaryPath = join(home, "bin/sandbox-agent")
const before = { ...process.env }
// Nothing of this machine is found, and the daemon keeps to its folder.
const timeoutMs = 50_000
const env = { XDG_DATA_HOME: join(home, "data") }

beforeAll(() => writeExecutable(binaryPath))
afterEach(() => {
  process.env.PATH = before.PATH
  delete process.env.SANDBOX_AGENT_BIN
})
afterAll(() => rmSync(home, { recursive: true, force: true }))

const failure = (work: Promise<unknown>) =>
  work.then(
    () => expect.unreachable("it resolved"),
    (error) => error,
  )

describe("a daemon of one's own", () => {
  test("start() gives a connected client, whose daemon ends with it", async () => {
    let pid = 0
    {
      await using client = await SandboxAgentClient.start({ spawn: { binaryPath, env, timeoutMs }, agent: "mock" })
      expect(client.connected).toBe(true)
      const { id } = await client.newSession({ directory: home })
      expect(await client.prompt(id, "hello")).toMatchObject({ stopReason: "end_turn" })
      const session = await client.startSession({ agent: "mock" })
      expect(await session.prompt("hello")).toMatchObject({ stopReason: "end_turn" })
      const { stdout } = await client.processes.run({ shell: "echo $PPID" })
      pid = Number(stdout)
      expect(isAlive(pid)).toBe(true)
    }
    await expect.poll(() => isAlive(pid)).toBe(false)
  })

  test("its token is random and in no argument, its port free, its sessions kept where they are asked to be", async () => {
    const dataDir = join(home, "kept")
    await using one = await spawnSandboxAgent({ binaryPath, env, timeoutMs, dataDir })
    await using two = await spawnSandboxAgent({ binaryPath, env, timeoutMs, token: "chosen-by-me", host: "127.0.0.1" })
    expect(one.token).toMatch(/^[0-9a-f]{48}$/)
    expect(two.token).toBe("chosen-by-me")
    expect(one.baseUrl).not.toBe(two.baseUrl)
    for (const { pid, token, baseUrl } of [one, two]) {
      expect(readFileSync(`/proc/${pid}/cmdline`, "utf8")).not.toContain(token)
      expect((await fetch(`${baseUrl}/v1/agents`)).status).toBe(401)
    }
    const client = await SandboxAgentClient.connect(one)
    await client.createSession("kept", { agent: "mock" })
    await client.disconnect()
    await one.dispose()
    expect(isAlive(one.pid)).toBe(false)
    await using again = await SandboxAgentClient.start({ spawn: { binaryPath, env, timeoutMs, dataDir } })
    expect(await again.getSession("kept")).toMatchObject({ agent: "mock" })
  })

  test("connect() is remote with a baseUrl, else embedded: SANDBOX_AGENT_BIN, then PATH", async () => {
    process.env.SANDBOX_AGENT_BIN = binaryPath
    await using first = await SandboxAgentClient.connect({ spawn: { env, timeoutMs } })
    const { pid } = await first.processes.start({ command: "sleep", args: ["600"] })
    expect(pid).toBeGreaterThan(0)
    delete process.env.SANDBOX_AGENT_BIN
    process.env.PATH = `${join(home, "bin")}:${before.PATH}`
    await using second = await SandboxAgentClient.connect({ spawn: { enabled: true, env, timeoutMs } })
    expect(await second.getHealth()).toMatchObject({ status: "ok" })
    for (const options of [{ spawn: false }, { baseUrl: "http://127.0.0.1:1", spawn: true }])
      expect(await failure(SandboxAgentClient.connect(options))).toMatchObject({ kind: "argument" })
    const refused = failure(SandboxAgentClient.connect({ baseUrl: "http://127.0.0.1:1", limits: { pauseMaxMs: 1 } }))
    expect(await refused).toMatchObject({ kind: "network" })
  })

  test("a token that no daemon takes is told before one is started, and not what it is", async () => {
    for (const bad of ["se\ncret", "se\0cret", "se cret", "secret€", ""]) {
      const work = [
        SandboxAgentClient.start({ spawn: { binaryPath, env, token: bad } }),
        SandboxAgentClient.start({ sandbox: local({ binaryPath, env, token: bad }) }),
      ]
      for (const error of await Promise.all(work.map(failure))) {
        expect(error).toMatchObject({ kind: "argument" })
        expect(inspect(error)).not.toMatch(/cret/)
      }
    }
  })

  test("local() is the same as a provider of sandboxes", async () => {
    const sandbox = local({ binaryPath, env, token: "chosen-by-me" })
    const client = await SandboxAgentClient.start({ sandbox, limits: { sandboxReadyMs: timeoutMs } })
    expect(client.sandbox).toMatchObject({ provider: "local", token: "chosen-by-me" })
    const pid = Number(client.sandbox?.id)
    expect(isAlive(pid)).toBe(true)
    await client.dispose()
    expect(isAlive(pid)).toBe(false)
    const late = SandboxAgentClient.start({ sandbox, limits: { sandboxReadyMs: 1 } })
    expect(await failure(late)).toMatchObject({ kind: "spawn", message: expect.stringContaining("within 1 ms") })
    const stopped = SandboxAgentClient.start({ sandbox, signal: AbortSignal.abort() })
    expect(await failure(stopped)).toMatchObject({ kind: "aborted" })
  })

  test("what it writes goes where it is asked to", async () => {
    let piped = ""
    await using daemon = await spawnSandboxAgent({
      binaryPath,
      env,
      timeoutMs,
      log: "pipe",
      onLog: (text) => (piped += text),
    })
    expect(piped).toContain(`listening on ${daemon.baseUrl}`)
    expect(piped).not.toContain(daemon.token)
  })
})

describe("a daemon that does not come", () => {
  test("no executable anywhere, or one that is none", async () => {
    process.env.PATH = join(home, "empty")
    expect(await failure(SandboxAgentClient.start())).toMatchObject({
      kind: "spawn",
      message: expect.stringContaining("@sandbox-agent/cli-"),
    })
    expect(await failure(spawnSandboxAgent({ binaryPath: home }))).toMatchObject({ kind: "spawn" })
    process.env.SANDBOX_AGENT_BIN = join(home, "nothing")
    expect(await failure(spawnSandboxAgent())).toMatchObject({ message: expect.stringContaining("SANDBOX_AGENT_BIN") })
  })

  test("one that ends at once says why", async () => {
    const broken = writeProgram(join(home, "broken"), "echo no room >&2; exit 3")
    const error = await failure(spawnSandboxAgent({ binaryPath: broken, timeoutMs }))
    expect(error).toMatchObject({ kind: "spawn", message: "The daemon exited with 3: no room" })
    const taken = await spawnSandboxAgent({ binaryPath, env, timeoutMs })
    const port = Number(new URL(taken.baseUrl).port)
    expect(await failure(spawnSandboxAgent({ binaryPath, env, timeoutMs, port }))).toMatchObject({ kind: "spawn" })
    await taken.dispose()
  })

  test("one that never answers is ended, in time or by a signal", async () => {
    const silent = writeProgram(join(home, "silent"), "echo pid $$.; exec sleep 600")
    expect(await failure(spawnSandboxAgent({ binaryPath: silent, timeoutMs: 100 }))).toMatchObject({ kind: "spawn" })
    const stop = new AbortController()
    let said = ""
    const onLog = (text: string) => {
      said += text
      if (said.includes(".")) stop.abort()
    }
    const starting = spawnSandboxAgent({
      binaryPath: silent,
      signal: stop.signal,
      log: "pipe",
      onLog,
      timeoutMs: 50_000,
    })
    expect(await failure(starting)).toMatchObject({ kind: "aborted", name: "AbortError" })
    expect(isAlive(Number(/pid (\d+)\./.exec(said)?.[1]))).toBe(false)
  })
})

describe("a program that ends", () => {
  const program = join(home, "host.ts")
  const source = fileURLToPath(new URL("../src/sandbox-agent.ts", import.meta.url))
  const host = (rest: string) =>
    writeFileSync(
      program,
      `import { spawnSandboxAgent } from ${JSON.stringify(source)}
const daemon = await spawnSandboxAgent({ log: "inherit", timeoutMs: 50_000 })
console.log("daemon " + daemon.pid + ".")
${rest}`,
    )
  const hostEnv = { ...process.env, ...env, SANDBOX_AGENT_BIN: binaryPath }

  test("killed, it leaves no daemon behind", async () => {
    host("await new Promise((resolve) => setTimeout(resolve, 600_000))")
    const child = spawn(process.execPath, [program], { env: hostEnv, stdio: ["ignore", "pipe", "inherit"] })
    let said = ""
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      said += text
    })
    await expect.poll(() => said).toMatch(/daemon \d+\./)
    const pid = Number(/daemon (\d+)\./.exec(said)?.[1])
    expect(isAlive(pid)).toBe(true)
    child.kill("SIGKILL")
    await expect.poll(() => isAlive(pid)).toBe(false)
  })

  test("at its end, it ends, and its daemon with it", async () => {
    host("")
    const { stdout, status } = spawnSync(process.execPath, [program], { env: hostEnv, encoding: "utf8" })
    expect(status).toBe(0)
    expect(stdout).toContain("listening on http://127.0.0.1:")
    const pid = Number(/daemon (\d+)\./.exec(stdout)?.[1])
    await expect.poll(() => isAlive(pid)).toBe(false)
  })
})

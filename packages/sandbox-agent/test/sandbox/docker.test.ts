import { spawn } from "node:child_process"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { keptPort } from "@sandbox-agent/test-agents/kept-port"
import { afterAll, afterEach, beforeEach, describe, expect, test } from "vitest"
import { children } from "../../../../scripts/tests/traces.ts"
import { type DockerOptions, docker } from "../../src/sandbox/docker.ts"
import { SandboxAgentClient, type SandboxError } from "../../src/sandbox-agent.ts"
import { isAlive, writeExecutable, writeProgram } from "../harness/executable.ts"
import { containersIn, dockerProgram } from "./docker-program.ts"

const work = mkdtempSync(join(tmpdir(), "sandbox-agent-docker-"))
const binaryPath = writeExecutable(join(work, "daemon/sandbox-agent"))
const source = fileURLToPath(new URL("./docker-program.ts", import.meta.url))
let state: string
let program: string

beforeEach(() => {
  state = mkdtempSync(join(work, "state-"))
  program = writeProgram(join(state, "docker"), dockerProgram(state))
  writeFileSync(join(state, "images"), "there\n")
  writeFileSync(join(state, "registry"), "buildpack-deps:stable-scm\n")
})
afterEach(() => expect(containersIn(state)).toEqual([]))
afterAll(() => {
  // What was to remove a container that could not be removed waits for the end of this program.
  for (const { pid, command } of children()) if (command.includes(work)) process.kill(pid, "SIGKILL")
  rmSync(work, { recursive: true, force: true })
})

const options = async (): Promise<DockerOptions & { port: number }> => ({
  program,
  binaryPath,
  image: "there",
  port: await keptPort(),
})
const calls = (): string[][] =>
  readFileSync(join(state, "calls"), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line))
const failure = (work: Promise<unknown>): Promise<SandboxError> =>
  work.then(
    () => expect.unreachable("it resolved"),
    (error) => error,
  )

describe("a container", () => {
  test("has a daemon that answers an agent's client, and is gone after it", async () => {
    const { image: _, ...given } = await options()
    const provider = docker({
      ...given,
      env: { ANTHROPIC_API_KEY: "sk-ant-api03-test" },
      mounts: { "/workspace": work },
      runArgs: ["--memory", "2g"],
    })
    {
      await using client = await SandboxAgentClient.start({ sandbox: provider, agent: "mock" })
      expect(client.sandbox).toMatchObject({
        provider: "docker",
        id: expect.stringMatching(/^sandbox-agent-[0-9a-f]{32}$/),
      })
      const session = await client.startSession({ agent: "mock" })
      expect(await session.prompt("hello")).toMatchObject({ stopReason: "end_turn" })
      session.close()
      expect(await client.getAgent("claude")).toMatchObject({ credentials: "available" })
      expect((await fetch(`http://127.0.0.1:${given.port}/v1/agents`)).status).toBe(401)
      const [run = []] = calls().filter(([word]) => word === "run")
      expect(run.join(" ")).toContain(`--volume ${work}:/workspace --publish 127.0.0.1::${given.port} --memory 2g`)
      expect(
        calls()
          .map(([word]) => word)
          .slice(0, 3),
      ).toEqual(["image", "pull", "run"])
      // By the environment of the command, never by its words.
      expect(JSON.stringify(calls())).not.toContain(client.sandbox?.token)
      expect(containersIn(state)).toEqual([client.sandbox?.id])
    }
    expect(containersIn(state)).toEqual([])
  })

  test("that is kept is reached again by its id and token, and its daemon started again", async () => {
    const given = { ...(await options()), keep: true }
    const first = await SandboxAgentClient.start({ sandbox: docker(given) })
    const { id = "", token = "" } = first.sandbox ?? {}
    const pid = Number((await first.run("echo $PPID")).stdout)
    await first.startSession({ id: "kept", agent: "mock" })
    await first.dispose()
    expect(containersIn(state)).toEqual([id])
    const again = await SandboxAgentClient.start({ sandbox: docker({ ...given, id, token }) })
    expect(await again.getSession("kept")).toMatchObject({ agent: "mock" })
    await again.dispose()
    process.kill(pid, "SIGKILL")
    await expect.poll(() => isAlive(pid)).toBe(false)
    const restarted = await SandboxAgentClient.start({ sandbox: docker({ ...given, id, token }) })
    expect(await restarted.getSession("kept")).toMatchObject({ agent: "mock" })
    await restarted.dispose()
    expect(containersIn(state)).toEqual([id])
    await restarted.sandbox?.remove()
    await restarted.sandbox?.remove()
  })

  test("has the daemon of its image, or the one that a command of yours installs", async () => {
    const { binaryPath: _, ...given } = await options()
    const install = `mkdir -p $HOME/.local/bin && cp ${binaryPath} $HOME/.local/bin/sandbox-agent`
    await using client = await SandboxAgentClient.start({ sandbox: docker({ ...given, install }) })
    expect(await client.getHealth()).toMatchObject({ status: "ok" })
    expect(calls().some((words) => words.includes("--interactive"))).toBe(false)
  })

  test("ends with the program that started it, also when that is killed", async () => {
    const given = await options()
    const host = join(state, "host.ts")
    const sdk = fileURLToPath(new URL("../../src/", import.meta.url))
    writeFileSync(
      host,
      `import { SandboxAgentClient } from "${sdk}sandbox-agent.ts"
import { docker } from "${sdk}sandbox/docker.ts"
const client = await SandboxAgentClient.start({ sandbox: docker(${JSON.stringify(given)}) })
console.log("up " + client.sandbox.id)
await new Promise((resolve) => setTimeout(resolve, 600_000))`,
    )
    const child = spawn(process.execPath, [host], { stdio: ["ignore", "pipe", "inherit"] })
    let said = ""
    child.stdout.on("data", (bytes) => {
      said += bytes
    })
    await expect.poll(() => said).toContain("up sandbox-agent-")
    expect(containersIn(state)).toHaveLength(1)
    child.kill("SIGKILL")
    await expect.poll(() => containersIn(state)).toEqual([])
  })
})

describe("no container is left when", () => {
  const start = (given: DockerOptions, more: object = {}) =>
    failure(SandboxAgentClient.start({ sandbox: docker(given), ...more }))

  test("there is no docker, no such image, no such container", async () => {
    const given = await options()
    expect(await start({ program: join(work, "nothing") })).toMatchObject({
      kind: "sandbox",
      code: "not_installed",
      message: expect.stringContaining("install Docker"),
    })
    expect(await start({ ...given, image: "nobodys" })).toMatchObject({
      code: "not_found",
      message: expect.stringContaining("pull access denied for nobodys"),
    })
    expect(await start({ ...given, id: "nobody", token: "x" })).toMatchObject({ code: "not_found" })
    expect(await start({ ...given, id: "nobody" })).toMatchObject({ kind: "argument" })
    expect(await start(given, { token: "mine" })).toMatchObject({ kind: "argument" })
    expect(await start(given, { spawn: true })).toMatchObject({ kind: "argument" })
  })

  test("it cannot be started, or run anything", async () => {
    const given = await options()
    writeFileSync(join(state, "refuse"), "run")
    expect(await start(given)).toMatchObject({ code: "provider", message: expect.stringContaining("connectivity") })
    expect(containersIn(state)).toEqual([])
    writeFileSync(join(state, "refuse"), "exec")
    expect(await start(given)).toMatchObject({ code: "provider", message: expect.stringContaining("paused") })
  })

  test("no daemon comes into it", async () => {
    const given = await options()
    expect(await start({ ...given, binaryPath: source })).toMatchObject({ code: "daemon_missing" })
    const { binaryPath: _, ...without } = given
    const failing = await start({ ...without, install: "echo no disk >&2; exit 7" })
    expect(failing).toMatchObject({
      code: "daemon_missing",
      message: expect.stringContaining("exited with 7: no disk"),
    })
    expect(await start({ ...without, install: "true" })).toMatchObject({
      message: expect.stringContaining("left no sandbox-agent"),
    })
  })

  test("the daemon ends at once, and what it said is told", async () => {
    const error = await start({ ...(await options()), args: ["--no-such-flag"] })
    expect(error).toMatchObject({ code: "not_ready", message: expect.stringContaining("exited with 2") })
    expect(error.message).toContain("--no-such-flag")
  })

  test("it is given up: by the signal, or by each of its limits", async () => {
    const given = await options()
    const silent = writeProgram(join(state, "silent"), "sleep 600")
    const stop = new AbortController()
    const starting = start({ ...given, binaryPath: silent }, { signal: stop.signal })
    await expect.poll(() => containersIn(state)).toHaveLength(1)
    stop.abort()
    expect(await starting).toMatchObject({ kind: "aborted", name: "AbortError" })
    await expect.poll(() => containersIn(state)).toEqual([])
    expect(
      await start({ ...given, binaryPath: silent }, { limits: { sandboxReadyMs: 200, sandboxLookMs: 100 } }),
    ).toMatchObject({
      code: "not_ready",
      message: expect.stringContaining("did not answer within 200 ms"),
    })
    expect(await start(given, { signal: AbortSignal.abort() })).toMatchObject({ kind: "aborted" })
    const { binaryPath: _, ...without } = given
    const late = await start({ ...without, install: "sleep 600" }, { limits: { sandboxInstallMs: 300 } })
    expect(late).toMatchObject({ kind: "timeout" })
    expect(containersIn(state)).toEqual([])
    // Made when nobody waits for it any more: removed as soon as it is there.
    expect(await start(given, { limits: { sandboxStartMs: 0 } })).toMatchObject({ kind: "timeout" })
    await expect.poll(() => calls().filter(([word]) => word === "rm").length).toBeGreaterThan(2)
    await expect.poll(() => containersIn(state)).toEqual([])
  })

  test("what is told of it is bounded, and so is its removal", async () => {
    const { binaryPath: _, ...without } = await options()
    const limits = { sandboxOutputChars: 100 }
    const loud = await start({ ...without, install: "seq 1 100000; echo no disk; exit 7" }, { limits })
    expect(loud.message).toMatch(/exited with 7: [\d\n]+no disk$/)
    expect(loud.message.length).toBeLessThan(200)
    const refused = await start({ ...without, image: "x".repeat(10_000) }, { limits })
    expect(refused.message.length).toBeLessThan(200)
    const given = await options()
    const client = await SandboxAgentClient.start({ sandbox: docker(given), limits: { sandboxRemoveMs: 300 } })
    writeFileSync(join(state, "refuse"), "rm-hangs")
    expect(await failure(client.dispose())).toMatchObject({ kind: "timeout" })
    writeFileSync(join(state, "refuse"), "")
    const { id, token } = client.sandbox ?? {}
    const again = await SandboxAgentClient.start({ sandbox: docker({ ...given, id, token }) })
    await again.sandbox?.remove()
    expect(containersIn(state)).toEqual([])
  })

  test("and one that cannot be removed is named", async () => {
    const given = await options()
    mkdirSync(join(state, "containers"), { recursive: true })
    writeFileSync(join(state, "refuse"), "rm")
    const error = await start({ ...given, binaryPath: source })
    expect(error.leftBehind).toBe(containersIn(state)[0])
    expect(error.message).toContain("could not be removed")
    writeFileSync(join(state, "refuse"), "")
    await SandboxAgentClient.start({ sandbox: docker({ ...given, id: error.leftBehind, token: "chosen" }) }).then(
      (client) => client.sandbox?.remove(),
    )
  })
})

import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { keptPort } from "@sandbox-agent/test-agents/kept-port"
import { afterAll, afterEach, beforeEach, describe, expect, test } from "vitest"
import {
  SandboxAgentClient,
  type SandboxError,
  type SandboxOptions,
  type SandboxProvider,
} from "../../src/sandbox-agent.ts"
import { isAlive, writeExecutable, writeProgram } from "../harness/executable.ts"
import type { VendorEdge } from "./vendor-edge.ts"

/** How a provider is made for the edge of its vendor. */
export interface ProviderSubject<E extends VendorEdge> {
  edge(): Promise<E>
  provider(edge: E, options: SandboxOptions, key?: string): SandboxProvider
  /** Without the vendor's package, which is not among those of this repository. */
  bare(): SandboxProvider
  /** What the vendor was asked, where that is more than the suite sees. */
  expectAsked?(edge: E, port: number): void
}

export const failure = (work: Promise<unknown>): Promise<SandboxError> =>
  work.then(
    () => expect.unreachable("it resolved"),
    (error) => error,
  )

/** What every provider does, with its vendor's own package against that vendor's API on loopback. */
export function runProviderSuite<E extends VendorEdge>(name: string, subject: ProviderSubject<E>): void {
  const work = mkdtempSync(join(tmpdir(), `sandbox-agent-${name}-`))
  const binaryPath = writeExecutable(join(work, "sandbox-agent"))
  let edge: E
  beforeEach(async () => {
    edge = await subject.edge()
  })
  afterEach(async () => {
    const { running } = edge
    await edge[Symbol.asyncDispose]()
    expect(running).toEqual([])
  })
  afterAll(() => rmSync(work, { recursive: true, force: true }))

  const options = async () => ({ binaryPath, port: await keptPort() })
  const start = (given: SandboxOptions, more: object = {}, key?: string) =>
    SandboxAgentClient.start({
      sandbox: subject.provider(edge, given, key),
      fetch: edge.fetch,
      WebSocket: edge.WebSocket,
      ...more,
    })

  describe(`a sandbox of ${name}`, () => {
    test("has a daemon that an agent answers at, and is gone after it", async () => {
      const given = await options()
      {
        await using client = await start({ ...given, env: { ANTHROPIC_API_KEY: "sk-ant-api03-test" } })
        expect(client.sandbox).toMatchObject({ provider: name, id: edge.running[0] })
        const session = await client.startSession({ agent: "mock" })
        expect(await session.prompt("hello")).toMatchObject({ stopReason: "end_turn" })
        session.close()
        expect(await client.getAgent("claude")).toMatchObject({ credentials: "available" })
        expect((await fetch(`http://127.0.0.1:${given.port}/v1/agents`)).status).toBe(401)
        subject.expectAsked?.(edge, given.port)
      }
      expect(edge.running).toEqual([])
    })

    test("has terminals, through the proxy in front of it", async () => {
      await using client = await start(await options())
      using terminal = await client.terminals.open({ command: "sh", args: ["-c", "read word; echo got $word"] })
      let shown = ""
      terminal.onData((bytes) => {
        shown += new TextDecoder().decode(bytes)
      })
      terminal.write("hello\r")
      expect(await terminal.exited).toMatchObject({ exitCode: 0 })
      expect(shown).toContain("got hello")
    })

    test("that is kept is reached again, its daemon started again, and removed when asked", async () => {
      const given = await options()
      const first = await start({ ...given, keep: true })
      const { id = "", token = "" } = first.sandbox ?? {}
      const pid = Number((await first.run("echo $PPID")).stdout)
      await first.startSession({ id: "kept", agent: "mock" })
      await first.dispose()
      process.kill(pid, "SIGKILL")
      await expect.poll(() => isAlive(pid)).toBe(false)
      const again = await start({ ...given, id, token })
      expect(await again.getSession("kept")).toMatchObject({ agent: "mock" })
      await again.dispose()
      expect(edge.running).toEqual([id])
      await again.sandbox?.remove()
    })
  })

  describe(`no sandbox of ${name} is left when`, () => {
    test("the key is wrong, there is no such sandbox, no package", async () => {
      const given = await options()
      expect(await failure(start(given, {}, "wrong"))).toMatchObject({
        kind: "sandbox",
        code: "unauthorized",
        provider: name,
      })
      expect(await failure(start({ ...given, id: "nobody", token: "x" }))).toMatchObject({ code: "not_found" })
      expect(await failure(SandboxAgentClient.start({ sandbox: subject.bare() }))).toMatchObject({
        code: "not_installed",
        message: expect.stringContaining("npm install"),
      })
    })

    test("no daemon comes into it, or it ends at once", async () => {
      const given = await options()
      expect(await failure(start({ ...given, binaryPath: import.meta.filename }))).toMatchObject({
        code: "daemon_missing",
      })
      const { binaryPath: _, ...without } = given
      expect(await failure(start({ ...without, install: "echo no disk; exit 7" }))).toMatchObject({
        message: expect.stringContaining("exited with 7: no disk"),
      })
      expect(edge.running).toEqual([])
      const ended = await failure(start({ ...given, args: ["--no-such-flag"] }))
      expect(ended).toMatchObject({ code: "not_ready", message: expect.stringContaining("--no-such-flag") })
      expect(edge.running).toEqual([])
    })

    test("it is given up while the daemon is waited for, or before it was made", async () => {
      const given = { ...(await options()), binaryPath: writeProgram(join(work, "silent"), "sleep 600") }
      const stop = new AbortController()
      const starting = failure(start(given, { signal: stop.signal }))
      await expect.poll(() => edge.running).toHaveLength(1)
      stop.abort()
      expect(await starting).toMatchObject({ kind: "aborted" })
      await expect.poll(() => edge.ended).toHaveLength(1)
      let release: () => void = () => undefined
      edge.hold = new Promise((resolve) => {
        release = resolve
      })
      const before = edge.asked.length
      const late = failure(start(given, { limits: { sandboxStartMs: 300 } }))
      await expect.poll(() => edge.asked.length).toBeGreaterThan(before)
      expect(await late).toMatchObject({ kind: "timeout" })
      release()
      await expect.poll(() => edge.ended).toHaveLength(2)
    })

    test("it comes late; and one that then cannot be removed is told with its id", async () => {
      const hold = Promise.withResolvers<void>()
      edge.hold = hold.promise
      edge.keepsAll = true
      const told = Promise.withResolvers<Error>()
      const limits = { sandboxStartMs: 300 }
      const late = failure(start(await options(), { limits, onError: told.resolve }))
      await expect.poll(() => edge.asked.length).toBeGreaterThan(0)
      expect(await late).toMatchObject({ kind: "timeout" })
      hold.resolve()
      const error = await told.promise
      expect(error).toMatchObject({ kind: "sandbox", code: "provider", provider: name, leftBehind: edge.running[0] })
      expect(error.message).toContain(`The sandbox ${edge.running[0]} came when nobody waited`)
      edge.keepsAll = false
      for (const id of edge.running) edge.end(id)
    })
  })
}

import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { isMusl } from "@sandbox-agent/test-agents/fetched"
import { keptPort } from "@sandbox-agent/test-agents/kept-port"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { writeExecutable } from "../harness/executable.ts"
import { CloudflareEdge, sources, startWorker } from "./cloudflare-edge.ts"

const work = mkdtempSync(join(tmpdir(), "sandbox-agent-cloudflare-"))
const binaryPath = writeExecutable(join(work, "sandbox-agent"))
const install = `mkdir -p $HOME/.local/bin && cp ${binaryPath} $HOME/.local/bin/sandbox-agent`
let edge: CloudflareEdge
let worker: Awaited<ReturnType<typeof startWorker>>

/** Cloudflare's own package runs in its own runtime; only the container stands in for one of theirs. */
describe.skipIf(isMusl)("in a Worker", () => {
  beforeAll(async () => {
    edge = await new CloudflareEdge().listen()
    worker = await startWorker(work, edge, { "worker.js": join(sources, "worker.js") })
  }, 240_000)
  afterAll(async () => {
    await worker?.stop()
    await edge?.[Symbol.asyncDispose]()
    rmSync(work, { recursive: true, force: true })
  })

  test("a sandbox has a daemon that an agent answers at, and is gone after it", async () => {
    const told = await worker.ask({ install, port: await keptPort() })
    expect(told).toMatchObject({ answer: "hello", id: expect.stringMatching(/^sandbox-agent-/) })
    expect(told).toMatchObject({ shown: expect.stringContaining("got hello"), exitCode: 0 })
    expect(edge.running).toEqual([])
    expect(edge.ended).toEqual([told.id])
  })

  test("one that is kept is reached again, and removed when asked", async () => {
    const port = await keptPort()
    const { id, token } = await worker.ask({ install, port, keep: true })
    expect(edge.running).toEqual([id])
    const again = await worker.ask({ id, token, port, keep: true, remove: true })
    expect(again).toMatchObject({ answer: "hello", id, sessions: 2 })
    expect(edge.running).toEqual([])
  })

  test("none is left when no daemon comes into it, or it ends at once", async () => {
    const port = await keptPort()
    expect(await worker.ask({ port })).toMatchObject({
      code: "daemon_missing",
      message: expect.stringContaining("no files here"),
    })
    expect(edge.running).toEqual([])
    const failing = await worker.ask({ port, install: "echo no disk; exit 7" })
    expect(failing).toMatchObject({
      code: "daemon_missing",
      message: expect.stringContaining("exited with 7: no disk"),
    })
    const ended = await worker.ask({ port, install, args: ["--no-such-flag"] })
    expect(ended).toMatchObject({ code: "not_ready", message: expect.stringContaining("--no-such-flag") })
    expect(edge.running).toEqual([])
    expect(await worker.ask({ port, id: "there" })).toMatchObject({ kind: "argument" })
  })
})

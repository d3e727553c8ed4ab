import { readFileSync } from "node:fs"
import { join } from "node:path"
import { limits } from "@sandbox-agent/schema/limits"
import { rounds } from "@sandbox-agent/test-agents/extent"
import { expect, onTestFinished, test } from "vitest"
import { openReaders } from "../../../../bench/client/readers.ts"
import { startDaemon, type TestDaemon } from "../harness/daemon.ts"
import { metric, metricBecomes } from "../streaming/raw-stream.ts"
import { halt } from "../supervisor/processes.ts"
import { Wire } from "./wire.ts"

const MiB = 1024 * 1024
const KiB = 1024
const peak = (pid: number): number =>
  Number(/^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "latin1"))?.[1]) * 1024

const program = join(import.meta.dirname, "socket-crowd.ts")

/** WebSockets of a session, in a process of their own; `until` waits for what it says. */
function sockets(daemon: TestDaemon, count: number, texts: number) {
  const about = { url: daemon.url.replace(/^http/, "ws"), token: daemon.token, count, texts, session: "one" }
  const child = Bun.spawn([process.execPath, program, JSON.stringify(about)], { stdout: "pipe", stderr: "inherit" })
  onTestFinished(() => child.kill("SIGKILL"))
  const output = child.stdout.getReader()
  let said = ""
  const until = async (word: string): Promise<string> => {
    while (!said.includes(word)) {
      const { value, done } = await output.read()
      if (done) throw new Error(`it ended after ${said}`)
      said += new TextDecoder().decode(value)
    }
    return said
  }
  return { pid: child.pid, until }
}

test("WebSockets of many clients that take nothing hold bounded bytes, and each gets all once it reads again", async () => {
  await using daemon = await startDaemon()
  const texts = 5_000
  const count = rounds(20, 100)
  await daemon.api.create("one")
  const live = sockets(daemon, 2, texts)
  const deaf = sockets(daemon, count, texts)
  await live.until("attached")
  await deaf.until("attached")
  await halt(deaf.pid)
  // More than the kernels of both sides hold for one of them.
  await daemon.api.send("one", `/stream ${texts} 4000`)
  expect(await live.until("complete")).not.toContain("wrong")
  const waiting = await metric(daemon, "socket_buffered_bytes")
  expect(waiting).toBeGreaterThan(MiB)
  expect(waiting).toBeLessThan(limits.handedBytes + count * (limits.leastSliceBytes + 8 * KiB))
  process.kill(deaf.pid, "SIGCONT")
  expect(await deaf.until("complete")).not.toContain("wrong")
  await metricBecomes(daemon, "stream_waiting_bytes", 0)
}, 300_000)

test("many ACP streams of a long turn, half of them stalled, lose nothing and cost bounded memory", async () => {
  // However long the others take: whoever is stopped is not to be taken for gone.
  await using daemon = await startDaemon({ flags: ["--stalled-reader-seconds", "3600"] })
  const texts = rounds(10_000, 20_000)
  const count = rounds(100, 1_000)
  const wire = new Wire(daemon, "/v1/acp/crowd")
  await wire.ask("initialize", { protocolVersion: 1, _meta: { "sandboxagent.dev": { agent: "mock" } } })
  await wire.create("one")
  const open = (streams: number) =>
    openReaders({
      port: Number(new URL(daemon.url).port),
      path: wire.path,
      token: daemon.token,
      count: streams,
      needle: 'ext":"',
      from: -1,
      until: texts - 1,
      marker: "",
      quietMs: 3_600_000,
    })
  const live = await open(count / 2)
  const stalled = await open(count / 2)
  try {
    await halt(stalled.pid)
    await daemon.api.send("one", `/stream ${texts} 400`)
    const got = { delivered: (count / 2) * texts, lost: 0, duplicated: 0 }
    expect(await live.result).toMatchObject(got)
    process.kill(stalled.pid, "SIGCONT")
    expect(await stalled.result).toMatchObject(got)
    expect(peak(daemon.pid)).toBeLessThan(rounds(320, 512) * MiB)
  } finally {
    live.kill()
    stalled.kill()
  }
}, 600_000)

import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, test } from "vitest"
import { startDaemon, type TestDaemon } from "../harness/daemon.ts"
import { Follower, storedTexts, turnEnded } from "./follower.ts"
import { metricBecomes } from "./raw-stream.ts"

const MiB = 1024 * 1024

/** A reader that is a stopped process: its socket is open and nothing is ever read from it. */
function stallable(daemon: TestDaemon, id: string, file: string): Bun.Subprocess {
  const url = `${daemon.url}/v1/sessions/${id}/events/sse`
  return Bun.spawn(["curl", "-sN", "-H", `authorization: Bearer ${daemon.token}`, "-o", file, url], { stdin: "ignore" })
}

const rss = (pid: number): number =>
  Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "latin1"))?.[1]) * 1024

/** The JSON texts of a file of SSE frames, and whether each id was the next one. */
function framesOf(text: string): { ids: number[]; texts: string[] } {
  const blocks = text.split("\n\n").filter((block) => block.startsWith("id: "))
  return {
    ids: blocks.map((block) => Number(block.slice(4, block.indexOf("\n")))),
    texts: blocks.map((block) => block.slice(block.indexOf("\ndata: ") + 7)),
  }
}

test("stalled readers cost bounded memory, slow nobody, and get everything once they read again", async () => {
  const folder = mkdtempSync(join(tmpdir(), "stalled-"))
  await using daemon = await startDaemon()
  const { api } = daemon
  await api.create("one")
  // Warm, so that the growth below is the stall's and not the first turn's.
  await api.turn("one", "/stream 20000")
  const files = Array.from({ length: 8 }, (_, i) => join(folder, `${i}.sse`))
  const stalled = files.map((file) => stallable(daemon, "one", file))
  await metricBecomes(daemon, "streams_open", stalled.length)
  for (const reader of stalled) reader.kill("SIGSTOP")
  const before = rss(daemon.pid)
  const { lastSequence: from } = await api.session("one")
  const reader = new Follower("one", from)
  const watch = reader.read(api, turnEnded)
  await api.send("one", "/stream 100000 100")
  await watch
  expect(reader.texts.filter((text) => text.includes('"type":"item.delta"')).length).toBe(100_000)
  const streamed = reader.texts.reduce((sum, text) => sum + text.length, 0)
  expect(streamed).toBeGreaterThan(30 * MiB)
  // Eight queues of what was streamed would be 250 MB and more.
  expect(rss(daemon.pid) - before).toBeLessThan(120 * MiB)

  const { lastSequence } = await api.session("one")
  for (const process of stalled) process.kill("SIGCONT")
  const stored = await storedTexts(api, "one")
  for (const file of files) {
    const read = await complete(file, lastSequence)
    expect(read.ids).toEqual(Array.from({ length: lastSequence }, (_, i) => i + 1))
    expect(read.texts.join(",") === stored, "the bytes of a reader that stalled").toBe(true)
  }
  for (const process of stalled) process.kill("SIGKILL")
  await metricBecomes(daemon, "streams_open", 0)
  rmSync(folder, { recursive: true })
}, 120_000)

test("a stalled reader that never comes back is noticed when it goes, with what it had not read", async () => {
  const folder = mkdtempSync(join(tmpdir(), "stalled-"))
  await using daemon = await startDaemon()
  const { api } = daemon
  await api.create("one")
  await api.turn("one", "/stream 50000 100")
  const stalled = Array.from({ length: 4 }, (_, i) => stallable(daemon, "one", join(folder, `${i}`)))
  await metricBecomes(daemon, "streams_open", 4)
  for (const reader of stalled) reader.kill("SIGSTOP")
  await api.turn("one", "/stream 50000 100")
  for (const reader of stalled) reader.kill("SIGKILL")
  await metricBecomes(daemon, "streams_open", 0)
  rmSync(folder, { recursive: true })
})

/** The file once the last event is in it. */
async function complete(file: string, last: number): Promise<{ ids: number[]; texts: string[] }> {
  for (let left = 1_500; left > 0; left--) {
    const text = readFileSync(file, "utf8")
    if (text.includes(`\nid: ${last}\n`) && text.endsWith("\n\n")) return framesOf(text)
    await Bun.sleep(20)
  }
  throw new Error(`${file} never got event ${last}`)
}

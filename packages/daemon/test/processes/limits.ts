import { once } from "node:events"
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { connect } from "node:net"
import { join } from "node:path"
import { processLimits } from "@sandbox-agent/schema/process-limits"
import { afterAll, beforeAll, expect, test } from "vitest"
import { scratch, startDaemon, type TestDaemon } from "../harness/daemon.ts"
import { gone, stateOf } from "../supervisor/processes.ts"
import { ProcessClient } from "./client.ts"
import { overfill } from "./overfill.ts"

let daemon: TestDaemon
beforeAll(async () => {
  daemon = await startDaemon()
})
afterAll(() => daemon.stop())

const run = (body: object) => daemon.api.call<Record<string, unknown>>("POST", "/v1/processes/run", body)
const config = () => daemon.api.ok<Record<string, number>>("GET", "/v1/processes/config")
const configure = (change: object) =>
  config().then((now) => daemon.api.call<Record<string, number>>("POST", "/v1/processes/config", { ...now, ...change }))

/** With other bounds for the time of a test. */
async function withConfig(change: object, work: () => Promise<void>): Promise<void> {
  const before = await config()
  expect((await configure(change)).status).toBe(200)
  try {
    await work()
  } finally {
    await configure(before)
  }
}

test("the bounds are what they are said to be", async () => {
  expect(await config()).toEqual({
    maxConcurrentProcesses: processLimits.concurrent,
    defaultRunTimeoutMs: processLimits.runMs,
    maxRunTimeoutMs: processLimits.longestRunMs,
    maxOutputBytes: processLimits.outputBytes,
    maxLogBytesPerProcess: processLimits.logBytes,
    maxInputBytesPerRequest: processLimits.inputBytes,
  })
})

overfill(["concurrent"], "one run more than may be at once is a conflict, and those there are go on", async () => {
  const folder = scratch()
  const at = (name: string | number) => join(folder, String(name))
  await withConfig({ maxConcurrentProcesses: 2 }, async () => {
    const script = (n: number) => `touch ${at(n)}; until [ -e ${at("go")} ]; do sleep 0.02; done; echo went`
    const held = [1, 2].map((n) => run({ shell: script(n), timeoutMs: 60_000 }))
    await expect.poll(() => [1, 2].filter((n) => existsSync(at(n)))).toEqual([1, 2])
    expect((await run({ command: "true" })).status).toBe(409)
    writeFileSync(at("go"), "")
    for (const { status, body } of await Promise.all(held))
      expect([status, body.exitCode, body.stdout]).toEqual([200, 0, "went\n"])
    expect((await run({ command: "true" })).status).toBe(200)
  })
  rmSync(folder, { recursive: true })
})

overfill(["runMs"], "a run that names no time is ended after the default one", async () => {
  await withConfig({ defaultRunTimeoutMs: 300 }, async () => {
    expect((await run({ command: "sleep", args: ["1000"] })).body).toMatchObject({ timedOut: true, exitCode: null })
  })
})

overfill(["longestRunMs"], "a longer time is refused, with the bound", async () => {
  const { status, body } = await run({ command: "true", timeoutMs: processLimits.longestRunMs + 1 })
  expect([status, body.limit]).toEqual([400, processLimits.longestRunMs])
})

overfill(["outputBytes"], "more is not kept, and more may not be asked for", async () => {
  const bytes = 3 * processLimits.outputBytes
  const { body } = await run({ shell: `head -c ${bytes} /dev/zero | tr '\\0' x` })
  expect(body).toMatchObject({
    stdoutTruncated: true,
    stdoutBytes: bytes,
    stdoutOmitted: { offset: processLimits.outputBytes / 2, bytes: bytes - processLimits.outputBytes },
  })
  expect(String(body.stdout).length).toBeLessThan(processLimits.outputBytes + 100)
  const more = await run({ command: "true", maxOutputBytes: processLimits.outputBytes + 1 })
  expect([more.status, more.body.limit]).toEqual([400, processLimits.outputBytes])
})

overfill(["arguments"], "one word more is refused", async () => {
  const args = Array<string>(processLimits.arguments).fill("x")
  expect((await run({ command: "true", args })).status).toBe(200)
  expect((await run({ command: "true", args: [...args, "x"] })).status).toBe(400)
})

overfill(
  ["mostConcurrent", "mostRunMs", "mostOutputBytes", "mostLogBytes", "leastLogBytes", "mostInputBytes"],
  "no bound may be set beyond these",
  async () => {
    for (const change of [
      { maxConcurrentProcesses: processLimits.mostConcurrent + 1 },
      { maxRunTimeoutMs: processLimits.mostRunMs + 1 },
      { maxOutputBytes: processLimits.mostOutputBytes + 1 },
      { maxLogBytesPerProcess: processLimits.mostLogBytes + 1 },
      { maxLogBytesPerProcess: processLimits.leastLogBytes - 1 },
      { maxInputBytesPerRequest: processLimits.mostInputBytes + 1 },
      { maxOutputBytes: 0 },
    ])
      expect([change, (await configure(change)).status]).toEqual([change, 400])
    await withConfig({ maxRunTimeoutMs: 5_000, defaultRunTimeoutMs: 9_000 }, async () => {
      expect(await config()).toMatchObject({ maxRunTimeoutMs: 5_000, defaultRunTimeoutMs: 5_000 })
    })
  },
)

overfill(["inputBytes"], "a larger piece of input is too large, and nothing of it is written", async () => {
  const { id } = await daemon.api.ok<{ id: string }>("POST", "/v1/processes", { command: "cat" })
  const write = (data: string) =>
    daemon.api.call<{ limit: number }>("POST", `/v1/processes/${id}/input`, { data, encoding: "utf8" })
  const { status, body } = await write("x".repeat(processLimits.inputBytes + 1))
  expect([status, body.limit]).toEqual([413, processLimits.inputBytes])
  expect((await write("x".repeat(processLimits.inputBytes))).status).toBe(200)
  await daemon.api.ok("POST", `/v1/processes/${id}/kill`)
})

overfill(["waitMs"], "nobody waits longer", async () => {
  const { id } = await daemon.api.ok<{ id: string }>("POST", "/v1/processes", { command: "true" })
  const wait = (ms: number) => daemon.api.call("GET", `/v1/processes/${id}/wait?waitMs=${ms}`)
  expect((await wait(processLimits.waitMs)).status).toBe(200)
  expect((await wait(processLimits.waitMs + 1)).status).toBe(400)
})

overfill(
  ["logBytes", "logEntryBytes", "logReadBytes"],
  "a longer log is dropped from its beginning, in entries and reads of a bounded size",
  async () => {
    const bytes = 3 * processLimits.logBytes
    const { id } = await daemon.api.ok<{ id: string }>("POST", "/v1/processes", {
      shell: `head -c ${bytes} /dev/zero`,
    })
    await daemon.api.ok("GET", `/v1/processes/${id}/wait`)
    const { entries } = await daemon.api.ok<{ entries: { data: string }[] }>("GET", `/v1/processes/${id}/logs`)
    const sizes = entries.map(({ data }) => Buffer.from(data, "base64").length)
    const kept = sizes.reduce((sum, size) => sum + size, 0)
    expect(kept).toBeLessThanOrEqual(processLimits.logBytes)
    expect(kept).toBeGreaterThan(processLimits.logBytes / 2)
    expect(Math.max(...sizes)).toBeLessThanOrEqual(processLimits.logEntryBytes)
    expect(kept).toBeGreaterThan(processLimits.logReadBytes)
  },
)

overfill(["streamBytes"], "what a client of a run does not take stays with the program", async () => {
  const file = join(scratch(), "pid")
  const body = JSON.stringify({ shell: `echo $$ >${file}; exec head -c 400000000 /dev/zero` })
  // By a socket of its own: `fetch` takes tens of megabytes that nobody asked it for, as many as its machine leaves it time for.
  const { host, hostname, port } = new URL(daemon.url)
  const lines = Object.entries({ ...daemon.api.headers, host, "content-type": "application/json" })
  const head = [...lines, ["accept", "text/event-stream"], ["content-length", body.length]]
  const socket = connect(Number(port), hostname)
  socket.write(`POST /v1/processes/run HTTP/1.1\r\n${head.map((line) => `${line.join(": ")}\r\n`).join("")}\r\n${body}`)
  await once(socket, "data")
  socket.pause()
  await expect.poll(() => existsSync(file) && readFileSync(file, "utf8")).toMatch(/\n$/)
  const pid = Number(readFileSync(file, "utf8"))
  /** What it has got rid of. */
  const written = () => Number(/^wchar: (\d+)$/m.exec(readFileSync(`/proc/${pid}/io`, "utf8"))?.[1])
  // Until it waits: it stands still, and not for want of a processor.
  for (let before = -1; written() !== before || stateOf(pid) !== "S"; await Bun.sleep(100)) before = written()
  // The pipe, the kernels of both sides and the client have some of it.
  expect(written()).toBeLessThan(100 * processLimits.streamBytes)
  socket.destroy()
  await gone(pid)
  expect((await run({ command: "true" })).status).toBe(200)
})

overfill(["portsMs", "portsSoonMs"], "who listens without a word is seen all the same", async () => {
  const program = 'Bun.serve({ port: 0, fetch: () => new Response("") })'
  const { id } = await daemon.api.ok<{ id: string }>("POST", "/v1/processes", {
    command: process.execPath,
    args: ["-e", program],
  })
  expect(processLimits.portsSoonMs).toBeLessThan(processLimits.portsMs)
  for (;;) {
    const { ports } = await daemon.api.ok<{ ports: object[] }>("GET", `/v1/processes/${id}`)
    if (ports.length > 0) break
    await Bun.sleep(processLimits.portsSoonMs)
  }
  await daemon.api.ok("POST", `/v1/processes/${id}/kill`)
})

overfill(
  ["endedProcesses"],
  "of those that have ended the oldest are forgotten with their logs",
  async () => {
    await using daemon = await startDaemon()
    const client = new ProcessClient(daemon)
    const first = await client.start({ command: "true" })
    await client.ended(first.id)
    for (let left = processLimits.endedProcesses; left > 0; left -= 20) {
      const some = await Promise.all(Array.from({ length: 20 }, () => client.start({ command: "true" })))
      await Promise.all(some.map(({ id }) => client.ended(id)))
    }
    const listed = await client.list()
    expect(listed.length).toBe(processLimits.endedProcesses)
    expect((await daemon.api.call("GET", `/v1/processes/${first.id}`)).status).toBe(404)
    const folders = () => readdirSync(join(daemon.dataDir, "processes")).length
    await expect.poll(folders).toBe(processLimits.endedProcesses)
  },
  { timeout: 120_000 },
)

import { existsSync, rmSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { limits } from "@sandbox-agent/schema/limits"
import { daemonProgram } from "@sandbox-agent/test-agents/daemon-program"
import { afterEach, expect, vi } from "vitest"
import { storeAttachments } from "../../src/core/attachments.ts"
import { follow } from "../../src/faces/http/sse.ts"
import { StalledReaders } from "../../src/faces/http/stalled-readers.ts"
import { Log } from "../../src/store/log.ts"
import { LogReader } from "../../src/store/reader.ts"
import { Store } from "../../src/store/store.ts"
import { LineSplitter } from "../../src/supervisor/lines.ts"
import { StderrKeeper } from "../../src/supervisor/stderr.ts"
import { createSupervisor } from "../../src/supervisor/supervisor.ts"
import { setStage } from "../core/stage.ts"
import { scratch } from "../harness/daemon.ts"
import { overfill } from "./overfill.ts"

const directories: string[] = []
function folder(): string {
  directories.push(scratch())
  return directories.at(-1) ?? ""
}

afterEach(() => {
  vi.useRealTimers()
  for (const directory of directories.splice(0)) rmSync(directory, { recursive: true, force: true })
})

function stderrOf(lines: string[]) {
  const keeper = new StderrKeeper()
  keeper.push(Buffer.from(lines.map((line) => `${line}\n`).join("")))
  keeper.end()
  return keeper.report()
}
const numbered = (count: number) => Array.from({ length: count }, (_, i) => `line ${i}`)

overfill(["stderrLinesAll", "stderrLinesHead", "stderrLinesTail"], "up to all, else the first and the last", () => {
  const all = numbered(limits.stderrLinesAll)
  expect(stderrOf(all)).toEqual({ head: all.join("\n"), truncated: false, total_lines: limits.stderrLinesAll })
  const more = numbered(limits.stderrLinesAll + 1)
  expect(stderrOf(more)).toEqual({
    head: more.slice(0, limits.stderrLinesHead).join("\n"),
    tail: more.slice(-limits.stderrLinesTail).join("\n"),
    truncated: true,
    total_lines: limits.stderrLinesAll + 1,
  })
})

overfill(["stderrLineBytes"], "a longer line is cut", () => {
  const report = stderrOf(["x".repeat(limits.stderrLineBytes + 1)])
  expect([report?.head?.length, report?.truncated]).toEqual([limits.stderrLineBytes, true])
})

overfill(["agentLineBytes"], "a longer line is passed over with its beginning, the next one comes", () => {
  const reported: unknown[] = []
  const lines = new LineSplitter({
    onLine: (line) => reported.push(line),
    onOversize: (head, bytes) => reported.push([head.length, bytes]),
  })
  lines.push(Buffer.alloc(limits.agentLineBytes + 1, "x"))
  lines.push(Buffer.from("\nnext\n"))
  expect(reported).toEqual([[limits.unparsedLineBytes, limits.agentLineBytes + 1], "next"])
})

overfill(["closeMs", "terminateMs"], "a process that stays is told by SIGTERM, then killed", async () => {
  const supervisor = createSupervisor({ daemonId: "limits", log: () => {} })
  const said: string[] = []
  const ready = Promise.withResolvers<void>()
  const child = supervisor.spawn({
    owner: "limits",
    label: "stubborn",
    command: ["sh", "-c", "trap 'echo told' TERM; echo ready; while :; do sleep 0.05; done"],
    directory: folder(),
    env: {},
    onLine(line) {
      said.push(line)
      ready.resolve()
    },
    onExit: () => {},
  })
  await ready.promise
  const exit = await child.stop()
  expect([said, exit.signal]).toEqual([["ready", "told"], "SIGKILL"])
  await supervisor.stopAll()
})

overfill(
  ["idleStopMs"],
  "an agent at rest is stopped and resumed by the next message, not one with work or requests",
  async () => {
    await using stage = await setStage({ idleStopMs: 1 })
    const { session, sink, core } = stage
    const rest = () => {
      session.idleSince = performance.now() - 2
      core.tidy()
      return session.process
    }
    stage.say(() => sink.background(1))
    expect(rest()).toBe("live")
    stage.say(() => sink.background(0))
    stage.say(() => sink.ask({ key: "q", type: "question", questions: [], background: true }))
    expect(rest()).toBe("live")
    stage.say(() => sink.unask("q"))
    expect([rest(), session.status]).toEqual(["none", "idle"])
    await stage.running()
    expect([rest(), stage.puppet.opening.options.from.kind]).toEqual(["live", "resume"])
  },
)

overfill(["attachmentFetchMs"], "an address that never answers is given up", async () => {
  await using stage = await setStage({ deadlines: { attachmentFetchMs: 30 } })
  using server = Bun.serve({ port: 0, fetch: () => new Promise<Response>(() => {}) })
  const url = `http://127.0.0.1:${server.port}/never`
  await expect(storeAttachments(stage.session, [{ url }])).rejects.toMatchObject({ code: "invalid_request" })
  await server.stop(true)
})

overfill(["heartbeatMs"], "silence on a stream is broken by a comment", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] })
  const store = new Store({ kind: "memory", directory: folder() })
  const abort = new AbortController()
  const stalled = new StalledReaders(limits.stalledReaderSeconds, () => {})
  const request = new Request("http://localhost/", { signal: abort.signal })
  const frames = follow({ log: new Log(1), reader: new LogReader(store.db), cursor: 0, request, stalled })
  const decode = (bytes: unknown) => new TextDecoder().decode(bytes as Uint8Array)
  expect(decode((await frames.next()).value)).toContain("retry:")
  let settled = false
  const silent = frames.next().then(({ value }) => {
    settled = true
    return decode(value)
  })
  vi.advanceTimersByTime(limits.heartbeatMs - 1)
  await Promise.resolve()
  expect(settled).toBe(false)
  vi.advanceTimersByTime(1)
  expect(await silent).toMatch(/^:/)
  abort.abort()
  await frames.return(undefined)
  store.close()
})

overfill(["logFileBytes"], "a larger log is turned over at the next start", async () => {
  const dataDir = folder()
  const log = join(dataDir, "daemon.log")
  writeFileSync(log, Buffer.alloc(limits.logFileBytes + 1, "x"))
  const daemon = (verb: string, ...flags: string[]) =>
    Bun.spawn([...daemonProgram(), "daemon", verb, "--data-dir", dataDir, ...flags], {
      env: process.env,
      stdout: "ignore",
      stderr: "pipe",
    }).exited
  try {
    expect(await daemon("start", "--port", "0")).toBe(0)
    expect(statSync(`${log}.1`).size).toBe(limits.logFileBytes + 1)
    expect(statSync(log).size).toBeLessThan(limits.logFileBytes)
  } finally {
    expect(await daemon("stop")).toBe(0)
  }
  expect(existsSync(join(dataDir, "daemon.json"))).toBe(false)
})

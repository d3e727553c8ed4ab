import { readdirSync, statSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { keptDirectory } from "../durability/database.ts"
import { startDaemon } from "../harness/daemon.ts"
import { gone, lives } from "../supervisor/processes.ts"
import { ProcessClient } from "./client.ts"

test("SIGKILL of the daemon takes every process along; the next daemon lists them as ended, with the reason, and has their logs", async () => {
  const dataDir = keptDirectory()
  await using daemon = await startDaemon({ dataDir })
  const client = new ProcessClient(daemon)
  const done = await client.start({ shell: "echo finished; exit 3" })
  await client.ended(done.id)
  const script = "sleep 1000 & echo $!; setsid sleep 1000 & echo $!; echo err >&2; echo all; exec sleep 1000"
  const runs = await client.start({ shell: script })
  // Both of its streams: either may be read before the other.
  const [, ...pids] = await client.said(runs.id, /(\d+)\n(\d+)\nall\n/, "?stream=stdout")
  await client.said(runs.id, /err\n/, "?stream=stderr")
  daemon.kill("SIGKILL")
  await daemon.exited
  for (const pid of [...pids.map(Number), runs.pid ?? 0]) await gone(pid)
  await using next = await startDaemon({ dataDir })
  const after = new ProcessClient(next)
  const [first, second, ...more] = await after.list()
  expect(first).toMatchObject({ id: done.id, status: "exited", exitCode: 3, reason: "exited" })
  expect(second).toMatchObject({ id: runs.id, status: "exited", reason: "daemon_killed" })
  expect(second?.exitedAtMs).toBeGreaterThanOrEqual(runs.createdAtMs)
  expect(more).toEqual([])
  expect(await after.text(done.id)).toBe("finished\n")
  expect(await after.text(runs.id, "?stream=stdout")).toMatch(/all\n$/)
  expect(await after.text(runs.id, "?stream=stderr")).toBe("err\n")
  const frames = []
  for await (const frame of after.follow(runs.id)) frames.push(frame)
  expect(JSON.parse(frames.at(-1)?.data ?? "")).toEqual({ reason: "daemon_killed" })
  expect((await next.api.call("POST", `/v1/processes/${runs.id}/input`, { data: "eA==" })).status).toBe(409)
  expect((await next.api.call("DELETE", `/v1/processes/${runs.id}`)).status).toBe(204)
  expect(readdirSync(join(dataDir, "processes"))).toEqual([done.id])
})

test("a daemon that stops ends its processes, and the next one knows why", async () => {
  const dataDir = keptDirectory()
  await using daemon = await startDaemon({ dataDir })
  const client = new ProcessClient(daemon)
  const { id, pid = 0 } = await client.start({ shell: "echo ready; exec sleep 1000" })
  await client.said(id, /ready/)
  expect(await daemon.stop()).toBe(0)
  expect(lives(pid)).toBe(false)
  await using next = await startDaemon({ dataDir })
  expect(await new ProcessClient(next).get(id)).toMatchObject({ status: "exited", reason: "daemon_stopped" })
})

test("fifty processes flood at once: each log is whole from its beginning or from what is kept, the disk and the daemon are bounded", async () => {
  await using daemon = await startDaemon()
  const client = new ProcessClient(daemon)
  const config = await daemon.api.ok<object>("GET", "/v1/processes/config")
  const kept = 512 * 1024
  await daemon.api.ok("POST", "/v1/processes/config", { ...config, maxLogBytesPerProcess: kept })
  const lines = 200_000
  const flood = `seq 1 ${lines}`
  const started = await Promise.all(Array.from({ length: 50 }, () => client.start({ shell: flood })))
  // Meanwhile everybody else is served.
  expect(await daemon.api.ok("GET", "/v1/health")).toMatchObject({ status: "ok" })
  const ended = await Promise.all(started.map(({ id }) => client.ended(id)))
  expect(ended.map(({ exitCode }) => exitCode)).toEqual(Array(50).fill(0))
  for (const { id, lastSequence } of ended) {
    const folder = join(daemon.dataDir, "processes", id)
    const bytes = readdirSync(folder)
      .filter((name) => name.startsWith("log-"))
      .reduce((sum, name) => sum + statSync(join(folder, name)).size, 0)
    expect(bytes).toBeLessThanOrEqual(kept)
    expect(bytes).toBeGreaterThan(kept / 2)
    const { entries, firstSequence } = await client.logs(id)
    expect(entries.map(({ sequence }) => sequence)).toEqual(
      Array.from({ length: entries.length }, (_, i) => firstSequence + i),
    )
    expect(entries.at(-1)?.sequence).toBe(lastSequence)
    const stdout = entries.filter(({ stream }) => stream === "stdout")
    const text = Buffer.concat(stdout.map(({ data }) => Buffer.from(data, "base64"))).toString()
    const numbers = text
      .slice(text.indexOf("\n") + 1)
      .trimEnd()
      .split("\n")
      .map(Number)
    expect(numbers.at(-1)).toBe(lines)
    expect(numbers.every((number, i) => i === 0 || number === (numbers[i - 1] ?? 0) + 1)).toBe(true)
  }
  // A client that comes to a log whose beginning is gone is told.
  const [one] = ended
  const frames = []
  for await (const frame of client.follow(one?.id ?? "")) frames.push(frame)
  expect(frames[0]).toMatchObject({ event: "gap", data: JSON.stringify({ firstSequence: one?.firstSequence }) })
}, 300_000)

import { appendFileSync, readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { rounds } from "@sandbox-agent/test-agents/extent"
import { expect, test } from "vitest"
import { keptDirectory } from "../durability/database.ts"
import { seeded } from "../durability/survivor.ts"
import { startDaemon, type TestDaemon } from "../harness/daemon.ts"
import { disk, mountable } from "../harness/disk.ts"
import { pick } from "../hostile/fuzz/grammar.ts"
import { RawStream } from "../streaming/raw-stream.ts"
import { lives } from "../supervisor/processes.ts"
import { Resident } from "./resident.ts"

/** `SOAK_SECONDS=3600` for the long one: a kill each minute, and what came of each life printed. */
const seconds = Number(process.env.SOAK_SECONDS ?? rounds(12, 300))
const KILL_EVERY = Math.min(60, Math.max(6, seconds / 10))
/** What a daemon may have held at its fullest. */
const MOST_MB = 300

const status = (pid: number, name: string): number =>
  Number(new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(readFileSync(`/proc/${pid}/status`, "latin1"))?.[1]) / 1024

/** Calls again and again until the life is over; each call says how long to wait after it. */
async function again(over: () => boolean, act: () => number | Promise<number>): Promise<void> {
  while (!over()) await Bun.sleep(await act())
}

/** On a busy machine the time of a life may be too short for that. */
function allHeard(residents: readonly Resident[], over: () => boolean): Promise<void> {
  const before = residents.map(({ accepted }) => accepted)
  const heard = () => residents.every(({ accepted }, n) => accepted > (before[n] ?? 0))
  return again(
    () => over() || heard(),
    () => 50,
  )
}

/** A connection may break: all do with the daemon, and one may reach its idle time just when it is used again. */
async function dwell(resident: Resident, { api }: TestDaemon, over: () => boolean, wrong: string[]): Promise<void> {
  while (!over())
    try {
      await resident.live(api, over)
    } catch (error) {
      if (error instanceof TypeError) continue
      wrong.push(String(error))
      return
    }
}

/** Readers that take nothing any more: the daemon closes them, or we do. */
function stallers(daemon: TestDaemon, residents: readonly Resident[], random: () => number, over: () => boolean) {
  const open: RawStream[] = []
  return again(over, () => {
    if (open.length > 8) open.shift()?.close()
    const resident = pick(random, residents)
    const stream = new RawStream(daemon, `/v1/sessions/${resident.name}-0/events/sse?offset=0`)
    stream.pause()
    open.push(stream)
    return 200
  }).finally(() => {
    for (const stream of open) stream.close()
  })
}

/** Takes what there is; the daemon writes meanwhile. */
function fill(path: string): void {
  try {
    for (;;) appendFileSync(path, Buffer.alloc(256 * 1024, 1))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error
  }
}

/** The disk is full for a while, and then is not. */
function tides(folder: string | undefined, random: () => number, over: () => boolean): Promise<void> {
  if (folder === undefined) return Promise.resolve()
  const ballast = join(folder, "ballast")
  return again(over, async () => {
    fill(ballast)
    await Bun.sleep(300 + random() * 500)
    rmSync(ballast)
    return 1_500 + random() * 1_500
  }).finally(() => rmSync(ballast, { force: true }))
}

test(`${seconds} seconds of everything at once lose nothing and leave nothing`, {
  timeout: 240_000 + seconds * 2_000,
}, async () => {
  const folder = mountable ? disk("192m") : undefined
  const dataDir = folder === undefined ? keptDirectory() : join(folder, "data")
  const random = seeded(Number(process.env.SOAK_SEED ?? 5))
  const residents = Array.from({ length: 4 }, (_, n) => new Resident(`r${n}`, random))
  const end = Date.now() + seconds * 1_000
  const peaks: number[] = []
  const wrong: string[] = []
  const start = () =>
    startDaemon({
      compiled: true,
      dataDir,
      cwd: "/",
      flags: ["--stalled-reader-seconds", "3"],
      intervals: { tidyMs: 1_000 },
    })
  while (Date.now() < end) {
    await using daemon = await start()
    let dead = false
    const over = () => dead
    const all = [
      ...residents.map((resident) => dwell(resident, daemon, over, wrong)),
      stallers(daemon, residents, random, over),
      tides(folder, random, over),
    ]
    const heard = allHeard(residents, () => wrong.length > 0 || !lives(daemon.pid))
    await Promise.race([Promise.all([Bun.sleep(Math.min(KILL_EVERY * 1_000, end - Date.now())), heard]), daemon.exited])
    expect(lives(daemon.pid), daemon.stderr()).toBe(true)
    peaks.push(status(daemon.pid, "VmHWM"))
    if (seconds > 300)
      console.log(`peak ${peaks.at(-1)?.toFixed(0)} MB, now ${status(daemon.pid, "VmRSS").toFixed(0)} MB`)
    dead = true
    daemon.kill("SIGKILL")
    await daemon.exited
    await Promise.all(all)
  }
  await using daemon = await start()
  for (const resident of residents) await resident.finish(daemon.api)
  expect(await daemon.stop()).toBe(0)
  expect([...wrong, ...residents.flatMap(({ faults }) => faults)]).toEqual([])
  for (const { accepted } of residents) expect(accepted).toBeGreaterThan(0)
  const sum = (of: "accepted" | "read") => residents.reduce((total, resident) => total + resident[of], 0)
  if (seconds > 60) console.log(`${peaks.length} kills, ${sum("accepted")} messages, ${sum("read")} events`)
  expect(Math.max(...peaks)).toBeLessThan(MOST_MB)
})

import { mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { rounds } from "@sandbox-agent/test-agents/extent"
import { expect, test } from "vitest"
import { scratch, startDaemon, type TestDaemon } from "../../harness/daemon.ts"
import { until } from "../../supervisor/processes.ts"
import { FuzzClient } from "./fuzz-client.ts"

/** `FUZZ_STEPS` and `FUZZ_SEED` ask for a longer run, or for the one that failed. */
const steps = Number(process.env.FUZZ_STEPS ?? rounds(300, 10_000))
const seed = Number(process.env.FUZZ_SEED ?? 1)
/** What the daemon may have held at its fullest. A line of an agent may be 16 MiB. */
const MOST_MB = 400

/** One whose sessions have a process each, and one whose sessions share one: it fails for all of them. */
const agents = (["one", "many"] as const).map((sessions) => ({
  id: `fuzz-${sessions}`,
  directory: mkdtempSync(join(tmpdir(), `sandbox-agent-fuzz-${sessions}-`)),
  sessions,
}))

async function startFuzz(): Promise<TestDaemon> {
  const dataDir = scratch()
  const command = { cmd: process.execPath, args: ["--no-env-file", join(import.meta.dirname, "fuzz-agent.ts")] }
  const entries = agents.map(({ id, sessions }) => ({
    id,
    name: id,
    version: "1.0.0",
    distribution: { command },
    _meta: { "sandboxagent.dev": { sessions } },
  }))
  writeFileSync(join(dataDir, "agents.json"), JSON.stringify({ agents: entries }))
  const intervals = {
    openMs: 5_000,
    takenMs: 2_000,
    answerMs: 500,
    interruptMs: 500,
    configureMs: 500,
    passedOnMs: 500,
  }
  return startDaemon({ compiled: true, dataDir, intervals })
}

/** Processes that work in a folder: what an agent started stays there unless it leaves on purpose. */
const working = (directory: string): string[] =>
  readdirSync("/proc").filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readlinkSync(`/proc/${pid}/cwd`).startsWith(directory)
    } catch {
      return false // it went, or has no folder any more
    }
  })

const nobodyIn = (directory: string): Promise<void> =>
  until(() => working(directory).length === 0, `the end of every process in ${directory}`)

/** Asks without a pause, until told to stop: an answer that does not come is a daemon that stands still. */
async function keepAsking({ api }: TestDaemon, stop: AbortSignal): Promise<number> {
  let answers = 0
  while (!stop.aborted) {
    await api.ok("GET", "/v1/health")
    answers++
    await Bun.sleep(10)
  }
  return answers
}

const peakMb = (pid: number): number =>
  Number(/^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "latin1"))?.[1]) / 1024

test(`${steps} steps of agents that misbehave, from seed ${seed}`, { timeout: 240_000 + steps * 100 }, async () => {
  const [alone, shared] = agents as [(typeof agents)[0], (typeof agents)[0]]
  const daemon = await startFuzz()
  const stop = new AbortController()
  const asking = keepAsking(daemon, stop.signal)
  asking.catch(() => undefined) // told where it is awaited
  try {
    let left = steps
    const all = [alone, alone, shared, shared].map(
      (agent, n) => new FuzzClient(`client${n}`, seed * 4 + n, daemon.api, agent),
    )
    const played = all.map(async (client) => {
      while (left > 0) left -= await client.turn()
      await client.end()
    })
    await Promise.all(played).finally(() => stop.abort())
    expect(all.flatMap(({ faults }) => faults)).toEqual([])
    expect(await asking).toBeGreaterThan(0)
    expect((await daemon.api.ok<{ sessions: unknown[] }>("GET", "/v1/sessions")).sessions).toEqual([])
    await nobodyIn(alone.directory)
    expect(peakMb(daemon.pid)).toBeLessThan(MOST_MB)
  } finally {
    await daemon.stop()
  }
  await nobodyIn(shared.directory)
  for (const { directory } of agents)
    for (const made of [directory, `${directory}-outside`]) rmSync(made, { recursive: true, force: true })
  expect(daemon.stderr()).not.toMatch(/"level":"error"|unhandled|panic/i)
})

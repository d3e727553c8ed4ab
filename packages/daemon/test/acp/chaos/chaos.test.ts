import { rmSync } from "node:fs"
import { full, rounds } from "@sandbox-agent/test-agents/extent"
import { keptPort } from "@sandbox-agent/test-agents/kept-port"
import { expect, test } from "vitest"
import { seeded } from "../../durability/survivor.ts"
import { scratch, startDaemon } from "../../harness/daemon.ts"
import { subjects } from "../subjects.ts"
import { claudePlay, mockPrompts } from "./agent-prompts.ts"
import { Arena, kinds } from "./client-kinds.ts"

/** Another number tries other moments. */
const SEED = Number(process.env.CUT_SEED ?? 42)
const CUTS = rounds(40, 200)
const KILLS = rounds(3, 20)
const timeout = 600_000

test(`cut ${CUTS} times at any byte, no client misses or repeats a message (seed ${SEED})`, { timeout }, async () => {
  await using daemon = await startDaemon()
  using arena = await Arena.open(daemon, { play: mockPrompts, seed: SEED })
  await arena.work(({ line, sessions }) => line.total >= CUTS / kinds.length && sessions.length >= 2)
  await arena.expectAll(daemon)
  expect(arena.cuts).toBeGreaterThanOrEqual(CUTS)
  for (const manner of ["fin", "reset", "ghost"] as const)
    expect(arena.workers.some(({ line }) => line.cuts[manner] > 0)).toBe(true)
})

test(`killed ${KILLS} times in between, the daemon goes on with every client (seed ${SEED})`, { timeout }, async () => {
  const dataDir = scratch()
  const flags = ["--port", String(await keptPort())]
  let daemon = await startDaemon({ dataDir, flags })
  await using _ = {
    async [Symbol.asyncDispose]() {
      await daemon[Symbol.asyncDispose]()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
  using arena = await Arena.open(daemon, { play: mockPrompts, seed: SEED, mortal: true })
  const random = seeded(SEED + 1)
  let kills = 0
  const killing = async () => {
    for (; kills < KILLS; kills++) {
      const enough = arena.heard + Math.floor(random() * 400)
      while (arena.heard < enough) await Bun.sleep(5)
      await arena.gate.close(async () => {
        daemon.kill("SIGKILL")
        await daemon.exited
        daemon = await startDaemon({ dataDir, flags })
      })
    }
  }
  await Promise.all([killing(), arena.work(({ sessions }) => kills >= KILLS && sessions.length >= 2)])
  await arena.expectAll(daemon)
  // Not only in between: turns were hit, and who had asked for them was told.
  const hit = arena.workers.flatMap(({ client }) =>
    [...client.answers.values()].filter(({ error }) => error !== undefined),
  )
  expect(hit.length).toBeGreaterThan(0)
})

test.skipIf(!full)(`the same cuts with the real Claude Code (seed ${SEED})`, { timeout }, async () => {
  const claude = subjects.find(({ agent }) => agent === claudePlay.agent)
  if (claude === undefined) throw new Error("there is no such subject")
  await using subject = await claude.start()
  using arena = await Arena.open(subject.daemon, { play: claudePlay, seed: SEED, kinds: kinds.slice(0, 2) })
  await arena.work(({ line, sessions }) => line.total >= 15 && sessions.length >= 1)
  await arena.expectAll(subject.daemon)
})

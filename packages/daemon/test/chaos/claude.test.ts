import { mkdirSync, readFileSync } from "node:fs"
import { delimiter, dirname, join } from "node:path"
import { type ScriptedModel, startScriptedModel } from "@sandbox-agent/scripted-model"
import { claudeBinary, newest } from "@sandbox-agent/test-agents/claude"
import { rounds } from "@sandbox-agent/test-agents/extent"
import { expect, test } from "vitest"
import { sessionFile } from "../../src/drivers/claude/home.ts"
import { gone, until } from "../agents/processes.ts"
import { seeded } from "../durability/survivor.ts"
import { startDaemon, type TestDaemon } from "../harness/daemon.ts"
import { expectClean, expectNoOrphans, goesOn, inScene, strikeAt } from "./aftermath.ts"
import { ClaudeLane } from "./claude-lane.ts"
import { type SceneName, scenes } from "./scenes.ts"
import { claudeTongue } from "./tongues.ts"
import { wishesIn, word } from "./wishes.ts"

/** Another number tries other moments. */
const SEED = Number(process.env.KILL_SEED ?? 42)
const ROUNDS = rounds(1, 4)
/** Sessions whose agents are killed side by side. */
const LANES = 3
const FRESH = rounds(2, 10)
const timeout = 600_000

interface Arena extends AsyncDisposable {
  daemon: TestDaemon
  model: ScriptedModel
  home: string
}

async function openArena(): Promise<Arena> {
  const program = claudeBinary(newest)
  const model = await startScriptedModel({ script: [wishesIn(claudeTongue)] })
  const path = [dirname(program), process.env.PATH].join(delimiter)
  const daemon = await startDaemon({ env: { PATH: path } })
  const home = join(daemon.dataDir, "home")
  mkdirSync(home)
  return {
    daemon,
    model,
    home,
    async [Symbol.asyncDispose]() {
      await daemon[Symbol.asyncDispose]()
      await model.close()
    },
  }
}

function shuffled<T>(list: readonly T[], random: () => number): T[] {
  return list
    .map((value) => ({ value, place: random() }))
    .sort((a, b) => a.place - b.place)
    .map(({ value }) => value)
}

test(`killed at any moment of a turn, Claude Code comes back with its conversation (seed ${SEED})`, {
  timeout,
}, async () => {
  await using arena = await openArena()
  const { daemon, model, home } = arena
  const random = seeded(SEED)
  const names = Object.keys(scenes) as SceneName[]
  const plan = shuffled(Array.from({ length: ROUNDS }, () => names).flat(), random)
  const run = async (n: number): Promise<ClaudeLane> => {
    const lane = new ClaudeLane(daemon, model, `lane-${n}`, seeded(SEED + n))
    await lane.begin()
    for (const name of plan.filter((_, i) => i % LANES === n)) {
      await inScene(name, lane, async () => {
        await strikeAt(lane, await scenes[name](lane))
        await goesOn(lane)
      })
    }
    return lane
  }
  const lanes = await Promise.all(Array.from({ length: LANES }, (_, n) => run(n)))
  await expectClean(lanes)
  expect(model.unexpected).toEqual([])
  await expectNoOrphans(daemon, [home])
})

test(`killed in its first turn, before or after anything was written (seed ${SEED})`, { timeout }, async () => {
  await using arena = await openArena()
  const { daemon, model, home } = arena
  const run = async (n: number): Promise<ClaudeLane> => {
    const lane = new ClaudeLane(daemon, model, `fresh-${n}`, seeded(SEED + n))
    await lane.create()
    await inScene("first turn", lane, async () => {
      const { messageId, message } = await lane.post("whole")
      if (n % 2 === 0) await lane.ended(messageId)
      else await Bun.sleep(lane.random() * 500)
      const killed = await lane.strike()
      await lane.processLost()
      await lane.ended(messageId)
      for (const { pid } of killed) await gone(pid)
      // Resumed if it had written anything, begun anew otherwise.
      const next = await lane.post("say")
      expect(await lane.ended(next.messageId)).toMatchObject({ stop_reason: "end_turn" })
      lane.first = next.message
      lane.native = (await daemon.api.session(lane.id)).nativeSessionId
      expect(message).not.toBe(lane.first)
      await goesOn(lane)
    })
    await daemon.api.ok("POST", `/v1/sessions/${lane.id}/terminate`, {})
    return lane
  }
  const lanes: ClaudeLane[] = []
  for (let n = 0; n < FRESH; n += 2) lanes.push(...(await Promise.all([run(n), run(n + 1)])))
  await expectClean(lanes)
  expect(model.unexpected).toEqual([])
  await expectNoOrphans(daemon, [home])
})

test("killed in its first answer with the message on disk, it is resumed", { timeout }, async () => {
  await using arena = await openArena()
  const { daemon, model, home } = arena
  const lane = new ClaudeLane(daemon, model, "written", seeded(SEED))
  await lane.create()
  const native = (await daemon.api.session(lane.id)).nativeSessionId ?? ""
  const { messageId, message } = await lane.post("text", 5)
  await lane.until("item.delta", ({ data }) => data.delta.includes(word(5)))
  const written = async () => readFileSync((await sessionFile(join(home, ".claude"), native)) ?? "/dev/null", "utf8")
  await until(async () => (await written()).includes(message), "the message in the transcript")
  await strikeAt(lane, { hit: messageId })
  lane.native = native
  lane.first = message
  await goesOn(lane)
})

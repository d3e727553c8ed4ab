import { mkdirSync, symlinkSync } from "node:fs"
import { delimiter, join } from "node:path"
import { startScriptedModel } from "@sandbox-agent/scripted-model"
import { ampBinary } from "@sandbox-agent/test-agents/amp"
import { expect, test } from "vitest"
import { seeded } from "../durability/survivor.ts"
import { scratch, startDaemon } from "../harness/daemon.ts"
import { AmpChaosSession, ampScenes } from "./amp-session.ts"
import { expectClean, expectNoOrphans, goesOn, inScene, strikeAt } from "./assertions.ts"
import { ampDialect } from "./dialects.ts"
import { promptScript } from "./prompts.ts"

/** Another number tries other moments. */
const SEED = Number(process.env.KILL_SEED ?? 42)
const KILLS = 50
/** Sessions whose agents are killed side by side. */
const SESSIONS = 2

test(`killed ${KILLS} times, at any moment of a turn, Amp comes back with its conversation (seed ${SEED})`, {
  timeout: 1_800_000,
}, async () => {
  await using model = await startScriptedModel({ script: [promptScript(ampDialect)] })
  const bin = join(scratch(), "bin")
  mkdirSync(bin)
  symlinkSync(ampBinary(), join(bin, "amp"))
  await using daemon = await startDaemon({ env: { PATH: [bin, process.env.PATH].join(delimiter) } })
  const home = join(daemon.dataDir, "home")
  mkdirSync(home)
  const names = Object.keys(ampScenes)
  const plan = Array.from({ length: KILLS }, (_, n) => names[n % names.length] ?? "")
  const run = async (n: number): Promise<AmpChaosSession> => {
    const session = new AmpChaosSession(daemon, model, `session-${n}`, seeded(SEED + n))
    await session.begin()
    for (const name of plan.filter((_, i) => i % SESSIONS === n)) {
      const scene = ampScenes[name] as (typeof ampScenes)[string]
      await inScene(name, session, async () => {
        await strikeAt(session, await scene(session))
        await goesOn(session)
      })
    }
    return session
  }
  const sessions = await Promise.all(Array.from({ length: SESSIONS }, (_, n) => run(n)))
  await expectClean(sessions)
  expect(model.unexpected).toEqual([])
  await expectNoOrphans(daemon, [home])
})

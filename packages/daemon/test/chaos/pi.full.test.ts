import { startScriptedModel } from "@sandbox-agent/scripted-model"
import { piBinary } from "@sandbox-agent/test-agents/pi"
import { expect, test } from "vitest"
import { seeded } from "../durability/survivor.ts"
import { startDaemon } from "../harness/daemon.ts"
import { expectClean, expectNoOrphans, goesOn, inScene, strikeAt } from "./assertions.ts"
import { piDialect } from "./dialects.ts"
import { PiChaosSession } from "./pi-session.ts"
import { promptScript } from "./prompts.ts"
import { type SceneName, scenes } from "./scenes.ts"

/** Another number tries other moments. */
const SEED = Number(process.env.KILL_SEED ?? 42)
const KILLS = 50
/** Sessions whose agents are killed side by side. */
const SESSIONS = 4

test(`killed ${KILLS} times, at any moment of a turn, Pi comes back with its conversation (seed ${SEED})`, {
  timeout: 1_200_000,
}, async () => {
  await using model = await startScriptedModel({ script: [promptScript(piDialect)] })
  await using daemon = await startDaemon({ flags: ["--agent-path", `pi=${piBinary()}`] })
  const names = Object.keys(scenes) as SceneName[]
  const plan = Array.from({ length: KILLS }, (_, n) => names[n % names.length] as SceneName)
  const run = async (n: number): Promise<PiChaosSession> => {
    const session = new PiChaosSession(daemon, model, `session-${n}`, seeded(SEED + n))
    await session.begin()
    for (const name of plan.filter((_, i) => i % SESSIONS === n))
      await inScene(name, session, async () => {
        await strikeAt(session, await scenes[name](session))
        await goesOn(session)
      })
    return session
  }
  const sessions = await Promise.all(Array.from({ length: SESSIONS }, (_, n) => run(n)))
  await expectClean(sessions)
  expect(model.unexpected).toEqual([])
  await expectNoOrphans(
    daemon,
    sessions.map(({ home }) => home),
  )
})

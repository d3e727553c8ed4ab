import { mkdirSync, readFileSync } from "node:fs"
import { delimiter, dirname, join } from "node:path"
import { type ScriptedModel, startScriptedModel } from "@sandbox-agent/scripted-model"
import { claudeBinary, newest } from "@sandbox-agent/test-agents/claude"
import { expect, test } from "vitest"
import { sessionFile } from "../../src/drivers/claude/home.ts"
import { seeded } from "../durability/survivor.ts"
import { startDaemon, type TestDaemon } from "../harness/daemon.ts"
import { gone, until } from "../supervisor/processes.ts"
import { expectClean, expectNoOrphans, goesOn, inScene, strikeAt } from "./assertions.ts"
import { ClaudeChaosSession } from "./claude-session.ts"
import { claudeDialect } from "./dialects.ts"
import { promptScript, word } from "./prompts.ts"
import { type SceneName, scenes } from "./scenes.ts"

/** Another number tries other moments. */
const SEED = Number(process.env.KILL_SEED ?? 42)
const ROUNDS = 4
/** Sessions whose agents are killed side by side. */
const SESSIONS = 3
const FRESH = 10
const timeout = 600_000

interface Arena extends AsyncDisposable {
  daemon: TestDaemon
  model: ScriptedModel
  home: string
}

async function openArena(): Promise<Arena> {
  const program = claudeBinary(newest)
  const model = await startScriptedModel({ script: [promptScript(claudeDialect)] })
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
  const run = async (n: number): Promise<ClaudeChaosSession> => {
    const session = new ClaudeChaosSession(daemon, model, `session-${n}`, seeded(SEED + n))
    await session.begin()
    for (const name of plan.filter((_, i) => i % SESSIONS === n)) {
      await inScene(name, session, async () => {
        await strikeAt(session, await scenes[name](session))
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

test(`killed in its first turn, before or after anything was written (seed ${SEED})`, { timeout }, async () => {
  await using arena = await openArena()
  const { daemon, model, home } = arena
  const run = async (n: number): Promise<ClaudeChaosSession> => {
    const session = new ClaudeChaosSession(daemon, model, `fresh-${n}`, seeded(SEED + n))
    await session.create()
    await inScene("first turn", session, async () => {
      const { messageId, message } = await session.post("whole")
      if (n % 2 === 0) await session.ended(messageId)
      else await Bun.sleep(session.random() * 500)
      const killed = await session.strike()
      await session.processLost()
      await session.ended(messageId)
      for (const { pid } of killed) await gone(pid)
      // Resumed if it had written anything, begun anew otherwise.
      const next = await session.post("say")
      expect(await session.ended(next.messageId)).toMatchObject({ stop_reason: "end_turn" })
      session.first = next.message
      session.native = (await daemon.api.session(session.id)).nativeSessionId
      expect(message).not.toBe(session.first)
      await goesOn(session)
    })
    await daemon.api.ok("POST", `/v1/sessions/${session.id}/terminate`, {})
    return session
  }
  const sessions: ClaudeChaosSession[] = []
  for (let n = 0; n < FRESH; n += 2) sessions.push(...(await Promise.all([run(n), run(n + 1)])))
  await expectClean(sessions)
  expect(model.unexpected).toEqual([])
  await expectNoOrphans(daemon, [home])
})

test("killed in its first answer with the message on disk, it is resumed", { timeout }, async () => {
  await using arena = await openArena()
  const { daemon, model, home } = arena
  const session = new ClaudeChaosSession(daemon, model, "written", seeded(SEED))
  await session.create()
  const native = (await daemon.api.session(session.id)).nativeSessionId ?? ""
  const { messageId, message } = await session.post("text", 5)
  await session.until("item.delta", ({ data }) => data.delta.includes(word(5)))
  const written = async () => readFileSync((await sessionFile(join(home, ".claude"), native)) ?? "/dev/null", "utf8")
  await until(async () => (await written()).includes(message), "the message in the transcript")
  await strikeAt(session, { hit: messageId })
  session.native = native
  session.first = message
  await goesOn(session)
})

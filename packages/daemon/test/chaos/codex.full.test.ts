import { delimiter, dirname } from "node:path"
import type { Agent } from "@sandbox-agent/schema/agent"
import { type ScriptedModel, startScriptedModel } from "@sandbox-agent/scripted-model"
import { codexBinary } from "@sandbox-agent/test-agents/codex"
import { expect, test } from "vitest"
import { seeded } from "../durability/survivor.ts"
import { startDaemon, type TestDaemon } from "../harness/daemon.ts"
import { gone } from "../supervisor/processes.ts"
import { expectClean, expectNoOrphans, goesOn, inScene, strikeAt } from "./assertions.ts"
import { CodexChaosSession } from "./codex-session.ts"
import { codexDialect } from "./dialects.ts"
import { promptScript, word } from "./prompts.ts"
import { type SceneName, scenes } from "./scenes.ts"

/** Another number tries other moments. */
const SEED = Number(process.env.KILL_SEED ?? 42)
const ROUNDS = 4
/** Sessions whose servers are killed side by side. */
const SESSIONS = 3
const FRESH = 6
const timeout = 600_000

interface Arena extends AsyncDisposable {
  daemon: TestDaemon
  model: ScriptedModel
}

async function openArena(): Promise<Arena> {
  const model = await startScriptedModel({ script: [promptScript(codexDialect)] })
  const path = [dirname(codexBinary()), process.env.PATH].join(delimiter)
  const daemon = await startDaemon({ env: { PATH: path } })
  return {
    daemon,
    model,
    async [Symbol.asyncDispose]() {
      await daemon[Symbol.asyncDispose]()
      await model.close()
    },
  }
}

const homesOf = (sessions: readonly CodexChaosSession[]): string[] => sessions.map(({ home }) => home)

test(`killed at any moment of a turn, Codex comes back with its conversation (seed ${SEED})`, { timeout }, async () => {
  await using arena = await openArena()
  const { daemon, model } = arena
  const random = seeded(SEED)
  const names = Object.keys(scenes) as SceneName[]
  const plan = Array.from({ length: ROUNDS }, () => names)
    .flat()
    .map((name) => ({ name, place: random() }))
    .sort((a, b) => a.place - b.place)
  const run = async (n: number): Promise<CodexChaosSession> => {
    const session = new CodexChaosSession(daemon, model, `session-${n}`, seeded(SEED + n))
    await session.begin()
    for (const { name } of plan.filter((_, i) => i % SESSIONS === n))
      await inScene(name, session, async () => {
        await strikeAt(session, await scenes[name](session))
        await goesOn(session)
      })
    return session
  }
  const sessions = await Promise.all(Array.from({ length: SESSIONS }, (_, n) => run(n)))
  await expectClean(sessions)
  expect(model.unexpected).toEqual([])
  await expectNoOrphans(daemon, homesOf(sessions))
})

test(`killed in its first turn, before or after anything was written (seed ${SEED})`, { timeout }, async () => {
  await using arena = await openArena()
  const { daemon, model } = arena
  const run = async (n: number): Promise<CodexChaosSession> => {
    const session = new CodexChaosSession(daemon, model, `fresh-${n}`, seeded(SEED + n))
    await session.create()
    await inScene("first turn", session, async () => {
      const { messageId } = await session.post("whole")
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
      await goesOn(session)
    })
    return session
  }
  const sessions: CodexChaosSession[] = []
  for (let n = 0; n < FRESH; n += 2) sessions.push(...(await Promise.all([run(n), run(n + 1)])))
  await expectClean(sessions)
  expect(model.unexpected).toEqual([])
  await expectNoOrphans(daemon, homesOf(sessions))
})

test("a server that dies with five sessions in five states is started again once, for all of them", {
  timeout,
}, async () => {
  await using arena = await openArena()
  const { daemon, model } = arena
  const states = ["idle", "text", "run", "ask", "question"] as const
  const sessions = states.map((state) => new CodexChaosSession(daemon, model, state, seeded(SEED), "home-shared"))
  await Promise.all(sessions.map((session) => session.begin()))
  const [idle, text, run, ask, question] = sessions as [
    CodexChaosSession,
    CodexChaosSession,
    CodexChaosSession,
    CodexChaosSession,
    CodexChaosSession,
  ]
  const info = () => daemon.api.ok<Agent>("GET", "/v1/agents/codex")
  const before = (await info()).process
  expect(before.restartCount).toBe(0)
  for (const round of [1, 2]) {
    idle.offset = (await idle.api.session(idle.id)).lastSequence
    const hits = [
      { session: text, ...(await text.post("text", 3)) },
      { session: run, ...(await run.post("run")) },
      { session: ask, ...(await ask.post("ask")) },
      { session: question, ...(await question.post("question")) },
    ]
    await text.until("item.delta", ({ data }) => data.delta.includes(word(3)))
    await run.api.ok("POST", await run.permissionPath(), { reply: "once" })
    await run.running()
    await ask.until("permission.requested")
    await question.until("question.requested")
    const killed = await idle.strike()
    for (const { session, messageId } of hits)
      expect(await session.ended(messageId)).toMatchObject({
        stop_reason: "error",
        error: { code: "agent_process_exited", signal: "SIGKILL" },
      })
    await idle.processLost()
    for (const { pid } of killed) await gone(pid)
    await Promise.all(sessions.map((session) => goesOn(session)))
    const { restartCount, pid } = (await info()).process
    expect([restartCount, pid === before.pid]).toEqual([round, false])
  }
  await expectClean(sessions)
  expect(model.unexpected).toEqual([])
  await expectNoOrphans(daemon, homesOf(sessions))
})

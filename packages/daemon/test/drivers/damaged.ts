import { readFileSync, rmSync, statSync, truncateSync } from "node:fs"
import { full } from "@sandbox-agent/test-agents/extent"
import { expect, test } from "vitest"
import { forkSession } from "../../src/core/fork.ts"
import { nativeStateOf } from "../../src/core/native-state.ts"
import { closeProcess } from "../../src/core/process.ts"
import type { Session } from "../../src/core/session.ts"
import type { DriverStage } from "./stage.ts"

/** An agent with an open session that has said ANSWER-ONE to ASK-ONE, and so on. */
export interface Damaged {
  live: DriverStage
  session: Session
  /** Where it keeps the session. */
  file(): Promise<string | undefined>
  /** It makes the file again when it is removed. */
  writesAnew?: true
  /** By SIGKILL, whatever that takes. */
  kill(): Promise<void> | void
  /** All that the model was given with the last request of this session. */
  given(session: Session): string
  /** What the model says next in this session, where it is not told by the order of requests. */
  script?(session: Session, answer: string): void
}

interface Damage {
  name: string
  /** Slow ones belong to the whole run. */
  full?: true
  run(at: Damaged): Promise<Session>
}

const timeout = 180_000
const said = ["ASK-ONE", "ANSWER-ONE", "ASK-TWO", "ANSWER-TWO"]

/** Claude Code writes late: the file has it some time after the turn. */
async function written({ file }: Damaged, words: string): Promise<string> {
  for (;;) {
    const found = await file()
    const has = found !== undefined && readFileSync(found, { encoding: "utf8", flag: "a+" }).includes(words)
    if (found !== undefined && has) return found
    await Bun.sleep(10)
  }
}

/** Its process is gone, and what came of it is told. */
async function killed(at: Damaged): Promise<void> {
  const before = at.live.events(at.session).length
  await at.kill()
  await at.live.until(
    "session.updated",
    ({ sequence, data }) => sequence > before && data.agent_process === "none",
    at.session,
  )
}

/** As if all from these words on had never been written. */
const cutBefore = (file: string, words: string): void => truncateSync(file, readFileSync(file).indexOf(words))

const halve = (file: string): void => truncateSync(file, Math.floor(statSync(file).size / 2))

const damages: readonly Damage[] = [
  {
    name: "cut in half",
    async run(at) {
      const file = await written(at, "ANSWER-TWO")
      await killed(at)
      halve(file)
      // Nor is it carried anywhere else.
      await expect(nativeStateOf(at.session, () => false)).rejects.toMatchObject({ code: "not_found" })
      return at.session
    },
  },
  {
    name: "cut by its last answer after a polite stop",
    full: true,
    async run(at) {
      const file = await written(at, "ANSWER-TWO")
      await closeProcess(at.session)
      cutBefore(file, "ANSWER-TWO")
      return at.session
    },
  },
  {
    name: "removed under the living agent",
    full: true,
    async run(at) {
      rmSync(await written(at, "ANSWER-TWO"))
      at.script?.(at.session, "ANSWER-X")
      await at.live.run("ASK-X", at.session)
      if (at.writesAnew) await written(at, "ASK-X")
      await killed(at)
      return at.session
    },
  },
  {
    name: "cut in half before it is forked",
    full: true,
    async run(at) {
      const file = await written(at, "ANSWER-TWO")
      await killed(at)
      halve(file)
      const { session, error } = await forkSession(at.live.core.sessions, at.session, { id: "fork" })
      expect(error).toBeUndefined()
      return at.live.keep(session)
    },
  },
]

export const rebuiltIn = (live: DriverStage, s: Session): (string | undefined)[] =>
  live.of("session.updated", s).flatMap(({ data }) => (data.context === "rebuilt" ? [data.reason] : []))

/** What an agent kept is damaged in each of these ways: it is told what it does not know any more, and the log says so. */
export function testDamaged(agent: string, start: () => Promise<Damaged & AsyncDisposable>): void {
  for (const { name, full: slow, run } of damages)
    test.skipIf(slow && !full)(`${agent} is told what it has lost: its record was ${name}`, { timeout }, async () => {
      await using at = await start()
      const session = await run(at)
      at.script?.(session, "ANSWER-LAST")
      expect(await at.live.run("ASK-LAST", session)).toMatchObject({ stop_reason: "end_turn" })
      const given = at.given(session)
      expect(said.filter((words) => !given.includes(words))).toEqual([])
      expect(rebuiltIn(at.live, session)).toEqual([expect.any(String)])
      expect(at.live.wrongs()).toEqual([])
    })

  test.skipIf(!full)(`${agent} goes on with what it wrote, also with half a line more`, { timeout }, async () => {
    await using at = await start()
    const file = await written(at, "ANSWER-TWO")
    await killed(at)
    const torn = readFileSync(file, "utf8").trimEnd().split("\n").at(-1) ?? ""
    await Bun.write(file, `${readFileSync(file, "utf8")}${torn.slice(0, torn.length / 2)}`)
    const { id } = at.session.record.native
    at.script?.(at.session, "ANSWER-LAST")
    expect(await at.live.run("ASK-LAST", at.session)).toMatchObject({ stop_reason: "end_turn" })
    expect([at.session.record.native.id, rebuiltIn(at.live, at.session)]).toEqual([id, []])
    expect(said.filter((words) => !at.given(at.session).includes(words))).toEqual([])
    // And once more, after what it did with the half line.
    await closeProcess(at.session)
    at.script?.(at.session, "ANSWER-MORE")
    expect(await at.live.run("ASK-MORE", at.session)).toMatchObject({ stop_reason: "end_turn" })
    expect([at.session.record.native.id, rebuiltIn(at.live, at.session)]).toEqual([id, []])
    expect(at.live.wrongs()).toEqual([])
  })
}

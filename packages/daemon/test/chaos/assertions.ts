import { expect } from "vitest"
import { expectSoundLog } from "../api/sound-log.ts"
import { checkLog } from "../core/checks.ts"
import type { TestDaemon } from "../harness/daemon.ts"
import { gone, until } from "../supervisor/processes.ts"
import type { ChaosSession } from "./chaos-session.ts"
import { type TaggedProcess, taggedProcessesOf } from "./tagged-processes.ts"

export interface Moment {
  /** The message whose turn is hit; none: it is idle. */
  hit?: string
  /** It may have ended by itself before the kill. */
  mayEnd?: boolean
  /** Messages behind it, which go to the next process. */
  queued?: string[]
  /** Done in the same moment as the kill. */
  meanwhile?(): Promise<void>
}

/** What has to hold for one session after the kill; says whether its turn had ended before. */
export async function isHit(session: ChaosSession, { hit, mayEnd, queued = [] }: Moment): Promise<boolean> {
  const end = hit === undefined ? undefined : await session.ended(hit)
  const before = mayEnd === true && end?.stop_reason === "end_turn"
  if (end !== undefined && !before)
    expect(end).toMatchObject({ stop_reason: "error", error: { code: "agent_process_exited", signal: "SIGKILL" } })
  for (const next of queued) expect(await session.ended(next)).toMatchObject({ stop_reason: "end_turn" })
  return before
}

/** The kill of an agent that serves this session alone, and everything that has to hold after it. */
export async function strikeAt(session: ChaosSession, moment: Moment): Promise<void> {
  const killed = await session.strike()
  await moment.meanwhile?.()
  if (await isHit(session, moment)) await session.processLost()
  for (const { pid } of killed) await gone(pid)
}

/** Nothing hangs, and the conversation goes on where it was. */
export async function goesOn(session: ChaosSession): Promise<void> {
  expect(await session.api.ok("GET", `/v1/sessions/${session.id}/pending`)).toEqual({ permissions: [], questions: [] })
  const { items } = await session.api.items(session.id)
  expect(items.filter(({ status }) => status === "in_progress")).toEqual([])
  const { messageId, message } = await session.post("say")
  expect(await session.ended(messageId)).toMatchObject({ stop_reason: "end_turn" })
  const { nativeSessionId, status, queue } = await session.api.session(session.id)
  // Killed before it had written anything it cannot resume: it was told of the conversation instead.
  const updates = (await session.api.events(session.id)).flatMap((event) =>
    event.type === "session.updated" ? event.data : [],
  )
  const rebuilt = updates.findLastIndex(({ context }) => context === "rebuilt")
  // Some tell the name of the new one only with their first turn.
  const told = rebuilt < 0 ? undefined : updates.slice(rebuilt).findLast((one) => one.native_session_id)
  expect([nativeSessionId, status, queue]).toEqual([told?.native_session_id ?? session.native, "idle", []])
  expect(await session.asked(message)).toContain(session.first)
}

export async function expectClean(sessions: readonly ChaosSession[]): Promise<void> {
  for (const session of sessions) {
    const events = await session.api.events(session.id)
    expect(checkLog(events)).toEqual([])
    expectSoundLog(events, (await session.api.items(session.id)).items)
    expect(events.filter(({ type }) => type === "agent.unparsed")).toEqual([])
    const unknown = events.filter((event) => event.type === "item.started" && event.data.item.kind === "unknown")
    expect(unknown).toEqual([])
  }
}

/** Only the agents that live are left, and none after the daemon. `isTheirs`: what an agent may well start for itself. */
export async function expectNoOrphans(
  daemon: TestDaemon,
  homes: readonly string[],
  isTheirs: (tagged: TaggedProcess) => boolean = () => false,
): Promise<void> {
  const ours = () => [...new Set(homes)].flatMap((home) => taggedProcessesOf("", home))
  const leftBehind = () => ours().filter((one) => one.parent !== daemon.pid && !isTheirs(one))
  await until(() => leftBehind().length === 0, "the end of what the agents left behind")
  const left = ours()
  await daemon.stop()
  for (const { pid } of left) await gone(pid)
  await until(() => ours().length === 0, "the end of all processes")
}

/** A failure tells which kill it was, and how the log ended. */
export async function inScene<T>(name: string, session: ChaosSession, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const tail = (await session.api.events(session.id))
      .slice(-15)
      .map(({ type, data }) => `${type} ${JSON.stringify(data)}`)
    throw new Error(`${name}, ${session.id}:\n${tail.map((line) => line.slice(0, 300)).join("\n")}`, { cause: error })
  }
}

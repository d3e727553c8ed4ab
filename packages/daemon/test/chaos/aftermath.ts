import { expect } from "vitest"
import { gone, until } from "../agents/processes.ts"
import { expectSoundLog } from "../api/sound-log.ts"
import { checkLog } from "../core/checks.ts"
import type { TestDaemon } from "../harness/daemon.ts"
import { type Carrier, carriersOf } from "./carriers.ts"
import type { Lane } from "./lane.ts"

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
export async function isHit(lane: Lane, { hit, mayEnd, queued = [] }: Moment): Promise<boolean> {
  const end = hit === undefined ? undefined : await lane.ended(hit)
  const before = mayEnd === true && end?.stop_reason === "end_turn"
  if (end !== undefined && !before)
    expect(end).toMatchObject({ stop_reason: "error", error: { code: "agent_process_exited", signal: "SIGKILL" } })
  for (const next of queued) expect(await lane.ended(next)).toMatchObject({ stop_reason: "end_turn" })
  return before
}

/** The kill of an agent that serves this session alone, and everything that has to hold after it. */
export async function strikeAt(lane: Lane, moment: Moment): Promise<void> {
  const killed = await lane.strike()
  await moment.meanwhile?.()
  if (await isHit(lane, moment)) await lane.processLost()
  for (const { pid } of killed) await gone(pid)
}

/** Nothing hangs, and the conversation goes on where it was. */
export async function goesOn(lane: Lane): Promise<void> {
  expect(await lane.api.ok("GET", `/v1/sessions/${lane.id}/pending`)).toEqual({ permissions: [], questions: [] })
  const { items } = await lane.api.items(lane.id)
  expect(items.filter(({ status }) => status === "in_progress")).toEqual([])
  const { messageId, message } = await lane.post("say")
  expect(await lane.ended(messageId)).toMatchObject({ stop_reason: "end_turn" })
  const { nativeSessionId, status, queue } = await lane.api.session(lane.id)
  // Killed before it had written anything it cannot resume: it was told of the conversation instead.
  const rebuilt = (await lane.api.events(lane.id)).flatMap(({ type, data }) =>
    type === "session.updated" && data.context === "rebuilt" ? [data.native_session_id] : [],
  )
  expect([nativeSessionId, status, queue]).toEqual([rebuilt.at(-1) ?? lane.native, "idle", []])
  expect(await lane.asked(message)).toContain(lane.first)
}

export async function expectClean(lanes: readonly Lane[]): Promise<void> {
  for (const lane of lanes) {
    const events = await lane.api.events(lane.id)
    expect(checkLog(events)).toEqual([])
    expectSoundLog(events, (await lane.api.items(lane.id)).items)
    expect(events.filter(({ type }) => type === "agent.unparsed")).toEqual([])
    const unknown = events.filter((event) => event.type === "item.started" && event.data.item.kind === "unknown")
    expect(unknown).toEqual([])
  }
}

/** Only the agents that live are left, and none after the daemon. `isTheirs`: what an agent may well start for itself. */
export async function expectNoOrphans(
  daemon: TestDaemon,
  homes: readonly string[],
  isTheirs: (carrier: Carrier) => boolean = () => false,
): Promise<void> {
  const ours = () => [...new Set(homes)].flatMap((home) => carriersOf("", home))
  const leftBehind = () => ours().filter((one) => one.parent !== daemon.pid && !isTheirs(one))
  await until(() => leftBehind().length === 0, "the end of what the agents left behind")
  const left = ours()
  await daemon.stop()
  for (const { pid } of left) await gone(pid)
  await until(() => ours().length === 0, "the end of all processes")
}

/** A failure tells which kill it was, and how the log ended. */
export async function inScene<T>(name: string, lane: Lane, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const tail = (await lane.api.events(lane.id)).slice(-15).map(({ type, data }) => `${type} ${JSON.stringify(data)}`)
    throw new Error(`${name}, ${lane.id}:\n${tail.map((line) => line.slice(0, 300)).join("\n")}`, { cause: error })
  }
}

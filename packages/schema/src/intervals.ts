import { acpLimits } from "./acp-limits.ts"
import { acpAgentLimits, ampLimits } from "./driver-limits.ts"
import { fileLimits } from "./file-limits.ts"
import { limits } from "./limits.ts"

/**
 * Waits of a daemon that can be told otherwise by `--interval NAME=MS`: for networks that cut quiet connections sooner,
 * machines that are slower than most, and tests that cannot wait.
 */
export const intervals = {
  /** Silence on a stream before a comment is sent. */
  heartbeatMs: limits.heartbeatMs,
  /** How often idle agents are looked for and old events are cut. */
  tidyMs: limits.tidyMs,
  /** How often it is looked whether open files become scarce. */
  openFilesMs: limits.openFilesMs,
  /** The body of a request comes. */
  requestBodyMs: limits.requestBodyMs,
  /** A client that sends or takes nothing of a file is given up. */
  transferStallMs: fileLimits.transferStallMs,
  /** An agent starts and opens its session. */
  openMs: limits.openMs,
  /** An agent takes a message. */
  takenMs: limits.takenMs,
  /** An agent takes the answer to a permission or question: there is room for it in its input, or its server has said so. */
  answerMs: limits.answerMs,
  /** An agent takes a change of its settings. */
  configureMs: limits.configureMs,
  /** An agent confirms that it was interrupted; then it is forced. */
  interruptMs: limits.interruptMs,
  /** The whole shutdown of the daemon: what has not come to its end by then is cut short. */
  shutdownMs: limits.shutdownMs,
  /** An answer waits for the history, or the turn, to be taken from a stream of its own. */
  replayWaitMs: acpLimits.replayWaitMs,
  /** A client that has left comes back, and may decide what all others declined. */
  comeBackMs: acpLimits.comeBackMs,
  /** A client answers a request of an agent that only it can. */
  passedOnMs: acpAgentLimits.passedOnMs,
  /** An agent that does not tell every end of a turn says nothing. */
  silenceMs: ampLimits.silenceMs,
} as const

export type IntervalName = keyof typeof intervals
export type Intervals = Readonly<Record<IntervalName, number>>

export const intervalNames = Object.keys(intervals) as IntervalName[]

/** The defaults with what was given, as `NAME=MS`; of what is given twice the last counts. */
export const intervalsWith = (given: readonly string[]): Intervals => ({
  ...intervals,
  ...Object.fromEntries(given.map((pair) => pair.split("=")).map(([name, ms]) => [name, Number(ms)])),
})

import { limits } from "@sandbox-agent/schema/limits"
import { EventRate } from "./event-rate.ts"

/**
 * When a change is committed. `now`: with the next turn of the loop, or before it if there was no commit a moment ago.
 * `soon`: the same, or a moment later if events come in a flood. `deferred`: with whatever comes next, or after a moment alone. `later`: the same, or at last alone.
 */
export type Due = "now" | "soon" | "deferred" | "later"

const urgency: Record<Due, number> = { now: 3, soon: 2, deferred: 1, later: 0 }

/** Tells when the next commit comes: once for all that is asked for before it, as early as the first of them needs it. */
export class CommitSchedule {
  #due: Due | undefined
  #timer: Timer | undefined
  #deferred = false
  #lastCommit = Number.NEGATIVE_INFINITY
  readonly #rate = new EventRate()

  constructor(
    private readonly commit: () => void,
    /** Whether anybody waits for the next commit. */
    private readonly awaited: () => boolean,
    private readonly now: () => number = () => performance.now(),
  ) {}

  ask(asked: Due): void {
    const due = this.#deferred && asked !== "later" && !this.awaited() ? "deferred" : asked
    if (this.#due !== undefined && urgency[this.#due] >= urgency[due]) return
    clearTimeout(this.#timer)
    // Of single events only a flood is put off: a change of state has somebody who waits to see it.
    this.#due = due === "soon" && (!this.#rate.isHigh || this.awaited()) ? "now" : due
    const run = () => {
      this.#due = undefined
      this.commit()
    }
    if (this.#due === "now" && this.#isRested) afterMicrotasks(run)
    else if (this.#due === "now") setImmediate(run)
    else this.#timer = setTimeout(run, this.#due === "later" ? limits.flushLooseMs : limits.flushPaceMs)
  }

  /** Nobody waits to see what is changed inside. */
  deferred(change: () => void): void {
    this.#deferred = true
    try {
      change()
    } finally {
      this.#deferred = false
    }
  }

  committed(events: number): void {
    this.#rate.committed(events)
    this.#lastCommit = this.now()
  }

  /** Where commits follow each other others may have something for the next one, and it waits for them. */
  get #isRested(): boolean {
    return this.now() - this.#lastCommit > limits.commitRestMs
  }
}

/** When all that follows without a pause from what runs now is done: sooner than with the next turn of the loop. */
export function afterMicrotasks(run: () => void): void {
  queueMicrotask(() => process.nextTick(run))
}

import { limits } from "@sandbox-agent/schema/limits"

/** Measures events per second over the last commits: above a rate, a short wait before each commit saves more than it costs. */
export class EventRate {
  /** Of the last commits: when, and how many events all had until then. */
  readonly #times = new Float64Array(limits.flushPaceCommits)
  readonly #totals = new Float64Array(limits.flushPaceCommits)
  #total = 0
  #next = 0

  constructor(private readonly now: () => number = () => performance.now()) {}

  committed(events: number): void {
    this.#total += events
    this.#times[this.#next] = this.now()
    this.#totals[this.#next] = this.#total
    this.#next = (this.#next + 1) % limits.flushPaceCommits
  }

  /** More events came of late than a reader can tell apart. */
  get isHigh(): boolean {
    const since = this.#times[this.#next] ?? 0
    if (since === 0) return false
    const events = this.#total - (this.#totals[this.#next] ?? 0)
    return events > (this.now() - since) * (limits.flushPaceEvents / 1_000)
  }
}

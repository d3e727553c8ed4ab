import { availableParallelism } from "node:os"
import type { Scenario } from "./scenario.ts"
import { logs } from "./scenarios/logs.ts"

/** Scenarios of a run by when they are played: each owns its sessions, so most of them side by side. */
export interface Order {
  together: Scenario[]
  /** One after the other, when the others are done. */
  alone: Scenario[]
  /** Over the logs that all of them left. */
  last: Scenario[]
}

const isAlone = ({ alone, means = [] }: Scenario): boolean => alone === true || means.includes("restart")

export function orderOf(scenarios: readonly Scenario[]): Order {
  const last = scenarios.filter((one) => logs.includes(one))
  const alone = scenarios.filter((one) => !last.includes(one) && isAlone(one))
  const together = scenarios
    .filter((one) => !last.includes(one) && !alone.includes(one))
    .sort((a, b) => Number(b.long ?? false) - Number(a.long ?? false))
  return { together, alone, last }
}

/** How many scenarios are played at once: they wait more than they work. */
export const atOnce = Math.max(2, Math.min(8, availableParallelism() * 2))

/** Lets so many in at a time, the others in the order they came. */
export class Gate {
  readonly #waiting: (() => void)[] = []

  constructor(private free: number) {}

  async through<T>(work: () => Promise<T>): Promise<T> {
    if (this.free > 0) this.free--
    else await new Promise<void>((resolve) => this.#waiting.push(resolve))
    try {
      return await work()
    } finally {
      const next = this.#waiting.shift()
      if (next === undefined) this.free++
      else next()
    }
  }
}

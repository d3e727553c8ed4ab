import { setTimeout as sleep } from "node:timers/promises"
import type { Host } from "../core/driver.ts"
import type { Kernel } from "./kernel.ts"
import { isOurChild } from "./known-children.ts"
import { stateOf } from "./proc.ts"
import { childrenOf, killTree } from "./process-tree.ts"

/** Between two looks while agents speak. */
const lookMs = 1_000
/** Rounds before we give up on orphans that start others faster than they die, and the time for them to vanish. */
const rounds = 20
const pauseMs = 5

/** Children of this process that it did not start: orphans of agents, whatever they shed, come to us and not to init. */
export class Orphans {
  /** Whether every child that we did not start must stem from one that we did. */
  readonly #onlyOurs: boolean
  #lastLook = 0

  constructor(
    private readonly kernel: Kernel,
    private readonly log: Host["log"],
  ) {
    // A shell that became us may have left us its children, and to process 1 come the orphans of everybody.
    this.#onlyOurs = process.pid !== 1 && childrenOf(process.pid).length === 0
    kernel.adoptOrphans()
  }

  /** Often: looks only now and then. Dead orphans are nobody's to wait for but ours. */
  heard(): void {
    const now = performance.now()
    if (now - this.#lastLook < lookMs) return
    this.#lastLook = now
    this.reap()
  }

  /** Takes notice of the dead; returns the living. */
  reap(): number[] {
    return childrenOf(process.pid).filter((pid) => {
      if (isOurChild(pid)) return false
      if (stateOf(pid)?.name !== "Z") return true
      this.kernel.reap(pid)
      return false
    })
  }

  /** After the end of a child of ours: when none is left, nothing that stems from one may live. */
  async ended(noneLeft: () => boolean): Promise<void> {
    for (let round = 1; round <= rounds; round++) {
      const living = this.reap()
      if (living.length === 0 || !this.#onlyOurs || !noneLeft()) return
      this.log("debug", "killed orphans of agents", { pids: living, round })
      for (const pid of living) killTree(pid)
      await sleep(pauseMs * round)
    }
    this.log("warn", "orphans of agents do not die", { pids: this.reap() })
  }
}

import { daemonLimitTag } from "./limit-tag.ts"
import { startTicksOf, stateOf } from "./proc.ts"
import { daemonTagPrefix } from "./process-tag.ts"
import { childrenOf } from "./process-tree.ts"
import { hasTagOf } from "./tagged-processes.ts"

/** Walks up a tree whose processes die on the way; after so many it counts as one of our agents'. */
const walks = 50

/** Tells descendants of our agents from all other processes: by their parents, or by the tag of one of them. */
export class AgentAncestry {
  /** Children from before the first agent, and so nobody's that we started. */
  readonly #before = new Map(childrenOf(process.pid).map((pid) => [pid, startTicksOf(pid)]))
  readonly #isTagged: (pid: number) => boolean

  constructor(
    daemonId: string,
    /** A child of ours that is no agent. */
    private readonly isOwn: (pid: number) => boolean,
  ) {
    this.#isTagged = hasTagOf([{ processTag: daemonTagPrefix(daemonId), limitTag: daemonLimitTag(daemonId) }])
  }

  /**
   * The child of ours, or the tagged process, that a process is or descends from. Orphans of agents come to us, so that
   * only who has another process start it gets out of this; what comes to us as process 1 without a tag counts as theirs.
   */
  below(pid: number): number | undefined {
    for (let walk = 1; walk <= walks; walk++) {
      const found = this.#walk(pid)
      if (found !== "interrupted") return found
    }
    return pid
  }

  /** Interrupted: one on the way died, and what is below it has another parent now. */
  #walk(pid: number): number | undefined | "interrupted" {
    let at = pid
    for (;;) {
      const parent = stateOf(at)?.parent
      if (parent === undefined) return at === pid ? undefined : "interrupted"
      if (at === process.pid || parent === 0) return undefined
      if (parent === process.pid) return this.#isForeign(at) ? undefined : at
      if (this.#isTagged(at)) return at
      at = parent
    }
  }

  #isForeign(child: number): boolean {
    if (this.isOwn(child)) return true
    const started = this.#before.get(child)
    return started !== undefined && started === startTicksOf(child)
  }
}

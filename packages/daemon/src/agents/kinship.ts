import { carrying } from "./carriers.ts"
import { wholeDaemon } from "./cookie.ts"
import { childrenOf } from "./family.ts"
import { startTicksOf, stateOf } from "./proc.ts"
import { tagOfDaemon } from "./tag.ts"

/** Walks up a family whose members die on the way; after so many it counts as one of our agents'. */
const walks = 50

/** Tells processes that stem from our agents from all others: by their ancestry, or by a mark that one of it carries. */
export class Kinship {
  /** Children from before the first agent, and so nobody's that we started. */
  readonly #before = new Map(childrenOf(process.pid).map((pid) => [pid, startTicksOf(pid)]))
  readonly #carries: (pid: number) => boolean

  constructor(
    daemonId: string,
    /** A child of ours that is no agent. */
    private readonly isOwn: (pid: number) => boolean,
  ) {
    this.#carries = carrying([{ cookie: wholeDaemon(daemonId), tag: tagOfDaemon(daemonId) }])
  }

  /**
   * The child of ours, or the carrier of a mark, that a process is or is below of. Orphans of agents come to us, so that
   * only who has another process start it gets out of this; what comes to us as process 1 without a mark counts as theirs.
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
      if (this.#carries(at)) return at
      at = parent
    }
  }

  #isForeign(child: number): boolean {
    if (this.isOwn(child)) return true
    const started = this.#before.get(child)
    return started !== undefined && started === startTicksOf(child)
  }
}

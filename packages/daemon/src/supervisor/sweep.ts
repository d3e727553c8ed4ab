import { setTimeout as sleep } from "node:timers/promises"
import type { Host } from "../core/driver.ts"
import { daemonLimitTag } from "./limit-tag.ts"
import { daemonTagPrefix } from "./process-tag.ts"
import { killTree } from "./process-tree.ts"
import { eachTaggedProcess, type ProcessMark } from "./tagged-processes.ts"

/** Rounds before a sweep gives up on processes that start others faster than they die. */
const rounds = 20
/** Time for the killed to vanish before the next round; grows with each. */
const pauseMs = 5

/** Kills every process with one of the tags. Calls that come while a sweep runs share the next one: one scan for all of them. */
export class Sweeper {
  #next: { marks: ProcessMark[]; done: Promise<void> } | undefined
  #last: Promise<void> = Promise.resolve()

  constructor(private readonly log: Host["log"]) {}

  /** Resolves, never rejects, when nothing with this mark is left or the rounds are used up. */
  sweep(mark: ProcessMark): Promise<void> {
    this.#next ??= this.#schedule()
    this.#next.marks.push(mark)
    return this.#next.done
  }

  #schedule(): { marks: ProcessMark[]; done: Promise<void> } {
    const marks: ProcessMark[] = []
    const done = this.#last.then(async () => {
      this.#next = undefined
      await this.#run(marks)
    })
    this.#last = done
    return { marks, done }
  }

  async #run(marks: ProcessMark[]): Promise<void> {
    try {
      for (let round = 1; round <= rounds; round++) {
        const killed = await killTagged(marks)
        if (killed === 0) return
        this.log("debug", "killed what an agent left behind", { killed, round })
        await sleep(pauseMs * round)
      }
      this.log("warn", "processes left behind by agents do not die", { marks })
    } catch (error) {
      this.log("warn", "cannot look for what agents left behind", { error: String(error) })
    }
  }
}

async function killTagged(marks: ProcessMark[]): Promise<number> {
  let killed = 0
  await eachTaggedProcess(marks, (pid) => {
    if (killTree(pid)) killed++
  })
  return killed
}

/** Whatever any run of this daemon left behind. For the start, before the first child. */
export function sweepDaemon(daemonId: string, log: Host["log"] = () => {}): Promise<void> {
  return new Sweeper(log).sweep({ processTag: daemonTagPrefix(daemonId), limitTag: daemonLimitTag(daemonId) })
}

import { setTimeout as sleep } from "node:timers/promises"
import type { Host } from "../core/driver.ts"
import { eachCarrier, type Mark } from "./carriers.ts"
import { wholeDaemon } from "./cookie.ts"
import { killFamily } from "./family.ts"
import { tagOfDaemon } from "./tag.ts"

/** Rounds before a sweep gives up on processes that start others faster than they die. */
const rounds = 20
/** Time for the killed to vanish before the next round; grows with each. */
const pauseMs = 5

/** Kills whatever carries a mark. Wishes that come while a sweep runs share the next one: one scan for all of them. */
export class Sweeper {
  #next: { marks: Mark[]; done: Promise<void> } | undefined
  #last: Promise<void> = Promise.resolve()

  constructor(private readonly log: Host["log"]) {}

  /** Resolves, never rejects, when nothing with this mark is left or the rounds are used up. */
  sweep(mark: Mark): Promise<void> {
    this.#next ??= this.#schedule()
    this.#next.marks.push(mark)
    return this.#next.done
  }

  #schedule(): { marks: Mark[]; done: Promise<void> } {
    const marks: Mark[] = []
    const done = this.#last.then(async () => {
      this.#next = undefined
      await this.#run(marks)
    })
    this.#last = done
    return { marks, done }
  }

  async #run(marks: Mark[]): Promise<void> {
    try {
      for (let round = 1; round <= rounds; round++) {
        const killed = await killCarriers(marks)
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

async function killCarriers(marks: Mark[]): Promise<number> {
  let killed = 0
  await eachCarrier(marks, (pid) => {
    if (killFamily(pid)) killed++
  })
  return killed
}

/** Whatever any run of this daemon left behind. For the start, before the first child. */
export function sweepDaemon(daemonId: string, log: Host["log"] = () => {}): Promise<void> {
  return new Sweeper(log).sweep({ cookie: wholeDaemon(daemonId), tag: tagOfDaemon(daemonId) })
}

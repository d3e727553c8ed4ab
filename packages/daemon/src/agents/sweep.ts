import { setTimeout as sleep } from "node:timers/promises"
import type { Host } from "../core/driver.ts"
import { eachCarrier } from "./carriers.ts"
import { wholeDaemon } from "./cookie.ts"
import { send } from "./proc.ts"

/** Rounds before a sweep gives up on processes that start others faster than they die. */
const rounds = 20
/** Time for the killed to vanish before the next round; grows with each. */
const pauseMs = 5

/** Kills whatever carries a cookie. Wishes that come while a sweep runs share the next one: one scan for all of them. */
export class Sweeper {
  #next: { prefixes: Set<string>; done: Promise<void> } | undefined
  #last: Promise<void> = Promise.resolve()

  constructor(private readonly log: Host["log"]) {}

  /** Resolves, never rejects, when nothing with this prefix is left or the rounds are used up. */
  sweep(prefix: string): Promise<void> {
    this.#next ??= this.#schedule()
    this.#next.prefixes.add(prefix)
    return this.#next.done
  }

  #schedule(): { prefixes: Set<string>; done: Promise<void> } {
    const prefixes = new Set<string>()
    const done = this.#last.then(async () => {
      this.#next = undefined
      await this.#run([...prefixes])
    })
    this.#last = done
    return { prefixes, done }
  }

  async #run(prefixes: string[]): Promise<void> {
    try {
      for (let round = 1; round <= rounds; round++) {
        const killed = await killCarriers(prefixes)
        if (killed === 0) return
        this.log("debug", "killed what an agent left behind", { killed, round })
        await sleep(pauseMs * round)
      }
      this.log("warn", "processes left behind by agents do not die", { prefixes })
    } catch (error) {
      this.log("warn", "cannot look for what agents left behind", { error: String(error) })
    }
  }
}

async function killCarriers(prefixes: string[]): Promise<number> {
  let killed = 0
  await eachCarrier(prefixes, (pid) => {
    if (send(pid, "SIGKILL")) killed++
  })
  return killed
}

/** Whatever any run of this daemon left behind. For the start, before the first child. */
export function sweepDaemon(daemonId: string, log: Host["log"] = () => {}): Promise<void> {
  return new Sweeper(log).sweep(wholeDaemon(daemonId))
}

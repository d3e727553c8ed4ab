import { limits } from "@sandbox-agent/schema/limits"

/** Between the two collections of a rest. */
const AGAIN_MS = 300

/** What of memory is given back now. */
export type Given = "garbage" | "code"

/** Looks at rest in a row after which there is nothing left to give. */
const LONG = Math.ceil(limits.longRestMs / limits.restMs)

/** Tells when work has ended: the processor was used by us, and now hardly is. Once for each piece of work. */
export class Rest {
  #used: number
  /** Times in a row that it was found at rest. */
  #found = 0

  constructor(usedMs: number) {
    this.#used = usedMs
  }

  /** Asked every `restMs` with the processor time used so far. */
  gives(usedMs: number): Given | undefined {
    const busy = usedMs - this.#used > limits.restMs * limits.restShare
    this.#used = usedMs
    this.#found = busy ? 0 : this.#found + 1
    if (this.#found === 1) return "garbage"
    return this.#found === LONG ? "code" : undefined
  }

  /** Giving back takes time as well, and is no work. */
  spent(ms: number): void {
    this.#used += ms
  }

  /** All was given that there is to give: no need to ask before there is work again. */
  get over(): boolean {
    return this.#found >= LONG
  }
}

/**
 * Bun keeps what work needed until much more has gathered; a daemon that waits gives it back. What is kept
 * for readers who are there together goes as well; compiled code goes only after a long rest, because the next turn has
 * to make it again. Gives what is to be called when there is work: it looks from then on until all is given back.
 */
export function giveBackAtRest(forget: () => void): () => void {
  const rest = new Rest(usedMs())
  let timer: Timer | undefined
  const timed = (work: () => void) => {
    const before = usedMs()
    work()
    rest.spent(usedMs() - before)
  }
  const give = (given: Given) => {
    timed(() => {
      forget()
      if (given === "code") Bun.shrink()
      Bun.gc(true)
    })
    // What one collection frees is with the allocator; the next one makes it give that back.
    setTimeout(() => timed(() => Bun.gc(true)), AGAIN_MS).unref()
  }
  const look = () => {
    const given = rest.gives(usedMs())
    if (given !== undefined) give(given)
    if (!rest.over) return
    clearInterval(timer)
    timer = undefined
  }
  return () => {
    timer ??= setInterval(look, limits.restMs).unref()
  }
}

export function usedMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}

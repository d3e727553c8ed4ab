import { limits } from "@sandbox-agent/schema/limits"

/** What of memory is given back now. */
export type Given = "garbage" | "code"

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
    return this.#found === Math.ceil(limits.longRestMs / limits.restMs) ? "code" : undefined
  }
}

/**
 * Bun keeps what work needed until much more has gathered; a daemon that waits gives it back. What is kept
 * for readers who are there together goes as well; compiled code goes only after a long rest, because the next turn has
 * to make it again.
 */
export function giveBackAtRest(forget: () => void): void {
  const rest = new Rest(usedMs())
  const look = () => {
    const given = rest.gives(usedMs())
    if (given === undefined) return
    forget()
    if (given === "code") Bun.shrink()
    Bun.gc(true)
  }
  setInterval(look, limits.restMs).unref()
}

export function usedMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}

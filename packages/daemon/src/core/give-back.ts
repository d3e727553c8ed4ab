import { limits } from "@sandbox-agent/schema/limits"

/** Tells when work has ended: the processor was used by us, and now hardly is. Once for each piece of work. */
export class Rest {
  #used: number
  #worked = true

  constructor(usedMs: number) {
    this.#used = usedMs
  }

  /** Asked every `restMs` with the processor time used so far. */
  hasCome(usedMs: number): boolean {
    const busy = usedMs - this.#used > limits.restMs * limits.restShare
    this.#used = usedMs
    const come = this.#worked && !busy
    this.#worked = busy
    return come
  }
}

/**
 * Bun keeps what work needed, compiled code included, until much more has gathered. A daemon that waits gives it back;
 * the first turn after that is some milliseconds slower.
 */
export function giveBackAtRest(): void {
  const rest = new Rest(usedMs())
  const look = () => {
    if (!rest.hasCome(usedMs())) return
    Bun.shrink()
    Bun.gc(true)
  }
  setInterval(look, limits.restMs).unref()
}

function usedMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}

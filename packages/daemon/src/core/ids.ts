const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
const RANDOM_CHARS = 14
const LOW_48 = 2 ** 48
/** A client's clock may run ahead of ours by this much before its ids no longer lift the generator. */
const LIFT_BOUND = 24 * 3600 * 1000 * 4096

/** Ascending ids for all kinds: prefix, 48-bit time and counter in hex, 14 random base62. Sorting by id is sorting by time. */
export class Ids {
  #stamp = 0

  next(prefix: "msg" | "turn" | "item" | "perm" | "que" | "ses" | "req" | "proc"): string {
    const now = Date.now() * 4096
    this.#stamp = now > this.#stamp ? now : this.#stamp + 1
    return `${prefix}_${(this.#stamp % LOW_48).toString(16).padStart(12, "0")}${random()}`
  }

  /** A given id with a later stamp moves the generator above it, so that order by id stays order by time. */
  lift(id: string): void {
    const hex = /^[a-z]+_([0-9a-f]{12})/.exec(id)?.[1]
    if (hex === undefined) return
    const base = Date.now() * 4096
    const stamp = base - (base % LOW_48) + Number.parseInt(hex, 16)
    if (stamp > this.#stamp && stamp < base + LIFT_BOUND) this.#stamp = stamp
  }
}

function random(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(RANDOM_CHARS))
  let text = ""
  for (const byte of bytes) text += BASE62[byte % 62]
  return text
}

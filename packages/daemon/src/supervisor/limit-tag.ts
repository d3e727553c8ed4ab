import { randomBytes } from "node:crypto"

/** Digits of a whole tag: with these a number stays below 2^63. */
const digits = { daemon: 10, run: 5, serial: 4 }
const serials = 10 ** digits.serial

/**
 * The process tag as a number, for processes that shed their environment: `<daemon><run><serial>` in decimal, because that
 * is how /proc shows a limit and the watcher's `grep` finds a prefix. Serials of the gone are used again.
 */
export class LimitTags {
  readonly run: string
  readonly #used = new Set<string>()
  #last = 0

  constructor(daemonId: string) {
    this.run = daemonLimitTag(daemonId) + padded(randomBytes(4).readUInt32BE() % 10 ** digits.run, digits.run)
  }

  /** Undefined when there are as many children as serials. */
  next(): string | undefined {
    for (let tried = 0; tried < serials; tried++) {
      this.#last = (this.#last + 1) % serials
      const limitTag = this.run + padded(this.#last, digits.serial)
      if (this.#used.has(limitTag)) continue
      this.#used.add(limitTag)
      return limitTag
    }
    return undefined
  }

  release(limitTag: string): void {
    this.#used.delete(limitTag)
  }
}

/** The prefix of all its runs. The first digit keeps it from being taken for a limit that somebody chose. */
export function daemonLimitTag(daemonId: string): string {
  const lowest = 10n ** BigInt(digits.daemon - 1)
  return String(lowest + (Bun.hash.xxHash64(daemonId) % (8n * lowest)))
}

const padded = (number: number, length: number): string => String(number).padStart(length, "0")

/** As it stands in `/proc/<pid>/limits`: for JavaScript and for `grep -E`. */
export const inLimits = (prefix: string): string => {
  const missing = digits.daemon + digits.run + digits.serial - prefix.length
  return `^Max file locks +${prefix}[0-9]{${missing}}[^0-9]`
}

/** The soft limit of file locks of a process, as text: its tag, if it has one. */
export const limitIn = (limits: string): string | undefined => /^Max file locks +(\d+)/m.exec(limits)?.[1]

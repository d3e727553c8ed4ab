import { appendFileSync, rmSync, statfsSync, statSync } from "node:fs"
import { join } from "node:path"
import { setImmediate } from "node:timers/promises"
import { limits } from "@sandbox-agent/schema/limits"

const PIECE = 256 * 1024

/** A file that keeps room on the disk, to be given back when deleting finds none. */
export class Reserve {
  readonly #path: string
  /** Counts what was given back: what is being kept meanwhile is given up. */
  #given = 0

  constructor(directory: string) {
    this.#path = join(directory, "reserve")
  }

  /** Between other work. */
  async keep(): Promise<void> {
    const given = this.#given
    for (const _ of this.#pieces()) {
      await setImmediate()
      if (this.#given !== given) return
    }
  }

  /** At once, before anybody else takes the room. */
  keepNow(): void {
    for (const _ of this.#pieces());
  }

  /** As much as there is room for. */
  *#pieces(): Generator<void> {
    // Random bytes: a file system that compresses would keep nothing for zeros.
    const piece = crypto.getRandomValues(new Uint8Array(PIECE))
    try {
      while (this.#size < limits.storeReserveBytes) {
        appendFileSync(this.#path, piece, { mode: 0o600 })
        yield
      }
    } catch (error) {
      if (!isFull(error)) throw error
    }
  }

  get #size(): number {
    return statSync(this.#path, { throwIfNoEntry: false })?.size ?? 0
  }

  /** A small file of ours is written although the disk is full. */
  lend(write: () => void): void {
    try {
      write()
    } catch (error) {
      if (!isFull(error)) throw error
      this.release()
      write()
    }
  }

  release(): void {
    this.#given++
    rmSync(this.#path, { force: true })
  }
}

/** No room on the disk, or no page left under the cap. */
export function isFull(error: unknown): boolean {
  const code = error instanceof Error && "code" in error ? String(error.code) : ""
  return /^(SQLITE_(FULL|IOERR)|ENOSPC|EDQUOT)/.test(code)
}

/** The disk itself, and not a cap of ours. */
export function isDiskFull(directory: string): boolean {
  const { bavail, bsize } = statfsSync(directory)
  return bavail * bsize < limits.storeReserveBytes
}

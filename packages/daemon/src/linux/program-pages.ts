import { readFileSync, readlinkSync } from "node:fs"
import { openLibrary } from "./c-library.ts"

const signatures = { madvise: { args: ["u64", "u64", "int"], returns: "int" } } as const
const MADV_DONTNEED = 4
/** A mapping that is only read, of a file: its first and last address, rights, place in the file, path, and what is told of it. */
const mapping = /^([0-9a-f]+)-([0-9a-f]+) (r-[-x]p) ([0-9a-f]+) \S+ \d+ +(\/.*)\n((?:[A-Z].*\n)*)/gm

/**
 * The pages of our own program. They stand in its file, and whatever is needed of them comes back from the cache of the
 * system; most were for the start, or for work that is done. Linux alone.
 */
export class ProgramPages {
  #canDrop = process.platform === "linux"
  #library: ReturnType<typeof openLibrary<typeof signatures>> | undefined

  constructor(private readonly log: (level: "debug", message: string, fields: Record<string, unknown>) => void) {}

  drop(): void {
    if (!this.#canDrop) return
    try {
      this.#library ??= openLibrary(signatures)
      const smaps = readFileSync("/proc/self/smaps", "latin1")
      for (const { start, length } of unchangedPages(smaps, readlinkSync("/proc/self/exe")))
        if (this.#library.madvise(start, length, MADV_DONTNEED) !== 0) throw new Error("the kernel refused")
    } catch (error) {
      this.#canDrop = false
      this.log("debug", "pages of the program stay in memory", { error: String(error) })
    }
  }
}

/** Code, and the constants that the file begins with: others are written to before they are only read. */
export const unchangedPages = (smaps: string, program: string): { start: bigint; length: bigint }[] =>
  [...smaps.matchAll(mapping)].flatMap(([, first, last, rights, place = "", path, told = ""]) => {
    const isOurs = path === program && (rights === "r-xp" || /^0+$/.test(place))
    // What somebody has changed, as a debugger does, is in no file.
    if (!isOurs || !/^Anonymous: +0 kB$/m.test(told)) return []
    const start = BigInt(`0x${first}`)
    return [{ start, length: BigInt(`0x${last}`) - start }]
  })

import { closeSync, constants, openSync, readFileSync } from "node:fs"
import { openLibrary } from "./c-library.ts"

const signatures = { tcflow: { args: ["int", "int"], returns: "int" } } as const
type Library = ReturnType<typeof openLibrary<typeof signatures>>

const TCOOFF = 0
const TCOON = 1
/** The first major number of pseudo-terminals. */
const PTS = 136

let library: Library | undefined

/** The device of a process's controlling terminal; undefined where it has none, or that cannot be seen. */
export function terminalOf(pid: number): string | undefined {
  if (process.platform !== "linux") return undefined
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1")
    const number = Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[4])
    const major = (number >> 8) & 0xfff
    const minor = (number & 0xff) | ((number >>> 12) & 0xfff00)
    return major === PTS ? `/dev/pts/${minor}` : undefined
  } catch {
    return undefined // gone
  }
}

/** Halts whoever writes to the controlling terminal of a process, or lets them go on. False where that cannot be done. */
export function haltTerminal(pid: number, halted: boolean): boolean {
  const device = terminalOf(pid)
  if (device === undefined) return false
  try {
    library ??= openLibrary(signatures)
    // Not kept open: a terminal ends when nobody but us has it.
    const file = openSync(device, constants.O_RDWR | constants.O_NOCTTY | constants.O_NONBLOCK)
    try {
      return library.tcflow(file, halted ? TCOOFF : TCOON) === 0
    } finally {
      closeSync(file)
    }
  } catch {
    return false // closed since, or there is no C library
  }
}

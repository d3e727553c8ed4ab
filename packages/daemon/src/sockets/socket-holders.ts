import { readdirSync, readlinkSync } from "node:fs"
import { setImmediate } from "node:timers/promises"

/** Open files looked at before others get their turn. */
const step = 256

/** The processes that have a socket open, and those whose open files we may not see. */
export interface Holders {
  holders: number[]
  closed: number[]
}

/** One round through all processes, for the sockets that are wanted by then. */
interface Look {
  wanted: Map<string, number[]>
  closed: Promise<number[]>
}

/**
 * Finds out who holds sockets, which is in no table of the kernel: every process has to be looked at. Calls that come
 * meanwhile share the next look, so that any number of clients at once costs no more than two.
 */
export class SocketHolders {
  #next: Look | undefined
  #last: Promise<unknown> = Promise.resolve()
  looks = 0

  /** By the inode of the socket. */
  async of(inode: string): Promise<Holders> {
    this.#next ??= this.#schedule()
    const { wanted, closed } = this.#next
    const socket = `socket:[${inode}]`
    const holders = wanted.get(socket) ?? []
    wanted.set(socket, holders)
    return { closed: await closed, holders }
  }

  #schedule(): Look {
    const wanted = new Map<string, number[]>()
    const closed = this.#last.then(() => {
      this.#next = undefined
      return this.#look(wanted)
    })
    // Whoever waits for it is told; the next look comes all the same.
    this.#last = closed.catch(() => undefined)
    return { wanted, closed }
  }

  /** Adds the holders of each, and gives those whose files are closed to us. */
  async #look(wanted: ReadonlyMap<string, number[]>): Promise<number[]> {
    this.looks++
    const closed: number[] = []
    let looked = 0
    for (const pid of othersFirst()) {
      // Our end of every connection is one of our files; the other end hardly ever is.
      if (pid === process.pid && [...wanted.values()].every(({ length }) => length > 0)) continue
      try {
        for (const file of readdirSync(`/proc/${pid}/fd`)) {
          if (++looked % step === 0) await setImmediate()
          const holders = wanted.get(linkOf(`/proc/${pid}/fd/${file}`) ?? "")
          if (holders !== undefined && holders.at(-1) !== pid) holders.push(pid)
        }
      } catch (error) {
        // Else it has ended since.
        if (isRefused(error)) closed.push(pid)
      }
    }
    return closed
  }
}

/** Whether one process has it open, as far as we may see. */
export function holdsSocket(pid: number, inode: string): boolean {
  try {
    return readdirSync(`/proc/${pid}/fd`).some((file) => linkOf(`/proc/${pid}/fd/${file}`) === `socket:[${inode}]`)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (isRefused(error) || code === "ENOENT" || code === "ESRCH") return false
    throw error
  }
}

function othersFirst(): number[] {
  const pids = readdirSync("/proc").map(Number).filter(Number.isInteger)
  return [...pids.filter((pid) => pid !== process.pid), process.pid]
}

/** Closed since it was listed, most often. */
function linkOf(path: string): string | undefined {
  try {
    return readlinkSync(path)
  } catch (error) {
    if (isRefused(error)) throw error
    return undefined
  }
}

const isRefused = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === "EACCES"

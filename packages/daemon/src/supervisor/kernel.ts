import type { Host } from "../core/driver.ts"
import { openLibrary } from "../linux/c-library.ts"

/** What of Linux no API of the runtime gives. */
export interface Kernel {
  /** Orphans of our descendants become our children, and not those of init. */
  adoptOrphans(): void
  /** Our memory, environment and open files are for root alone, and no longer for every process of our user. */
  hideOurselves(): void
  /** What `start` forks has this soft limit of file locks, or none. The kernel hands limits on over fork and exec. */
  withLockLimit<T>(limit: bigint | undefined, start: () => T): T
  /** Takes notice of the end of one child; for those that the runtime does not know. */
  reap(pid: number): void
}

const PR_SET_DUMPABLE = 4
const PR_SET_CHILD_SUBREAPER = 36
/** Obsolete since Linux 2.4.25: kept, inherited and shown by the kernel, and without any effect. */
const RLIMIT_LOCKS = 10
const WNOHANG = 1

const signatures = {
  prctl: { args: ["int", "u64", "u64", "u64", "u64"], returns: "int" },
  prlimit: { args: ["int", "int", "ptr", "ptr"], returns: "int" },
  waitpid: { args: ["int", "ptr", "int"], returns: "int" },
} as const

/** With the first child and not before: it costs memory that a daemon without agents does not need. */
export function openKernel(log: Host["log"]): Kernel | undefined {
  if (process.platform !== "linux") return undefined
  try {
    return new LinuxKernel(openLibrary(signatures), log)
  } catch (error) {
    log("debug", "without the C library agents' processes are found by group, parent and tag in the environment", {
      error: `${error}`,
    })
    return undefined
  }
}

type Library = ReturnType<typeof openLibrary<typeof signatures>>

class LinuxKernel implements Kernel {
  #warned = false

  constructor(
    private readonly library: Library,
    private readonly log: Host["log"],
  ) {}

  adoptOrphans(): void {
    if (this.library.prctl(PR_SET_CHILD_SUBREAPER, 1n, 0n, 0n, 0n) !== 0) this.#refused("prctl")
  }

  hideOurselves(): void {
    if (this.library.prctl(PR_SET_DUMPABLE, 0n, 0n, 0n, 0n) !== 0) this.#refused("prctl")
  }

  /** Ours is set for the moment of the fork: afterwards the child may have forked before it is reached. */
  withLockLimit<T>(limit: bigint | undefined, start: () => T): T {
    const before = new BigUint64Array(2)
    if (this.library.prlimit(0, RLIMIT_LOCKS, null, before) !== 0) return this.#without(start)
    const hard = before[1] ?? 0n
    // The hard limit stays: who may not raise it again could start no daemon inside an agent.
    if (this.library.prlimit(0, RLIMIT_LOCKS, new BigUint64Array([limit ?? hard, hard]), null) !== 0)
      return this.#without(start)
    try {
      return start()
    } finally {
      this.library.prlimit(0, RLIMIT_LOCKS, before, null)
    }
  }

  reap(pid: number): void {
    this.library.waitpid(pid, null, WNOHANG)
  }

  #without<T>(start: () => T): T {
    this.#refused("prlimit")
    return start()
  }

  #refused(call: string): void {
    if (this.#warned) return
    this.#warned = true
    this.log("debug", "the kernel refuses to mark agents' processes", { call })
  }
}

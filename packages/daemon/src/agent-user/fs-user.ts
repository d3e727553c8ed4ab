import { openLibrary } from "../linux/c-library.ts"

const signatures = {
  setfsuid: { args: ["u32"], returns: "u32" },
  setfsgid: { args: ["u32"], returns: "u32" },
} as const

/** Of no user: asks for the present one and changes nothing. */
const noId = 0xffffffff

/**
 * File work as another user, by this thread and for this moment: in folders that belong to an agent's user, a link could
 * lead our own rights anywhere. Linux keeps these ids for each thread, and they count for files alone.
 */
export class FileUser {
  readonly #library = openLibrary(signatures)

  constructor(
    readonly uid: number,
    readonly gid: number,
  ) {}

  /** `work` must be over when it returns: what goes on later is done by other threads. */
  run<T>(work: () => T): T {
    const gid = this.#library.setfsgid(this.gid)
    const uid = this.#library.setfsuid(this.uid)
    try {
      // The call itself does not report whether it was allowed.
      if (this.#library.setfsuid(noId) !== this.uid) throw new Error("the system refuses setfsuid")
      return work()
    } finally {
      this.#library.setfsuid(uid)
      this.#library.setfsgid(gid)
    }
  }
}

import { readdirSync } from "node:fs"
import { limits } from "@sandbox-agent/schema/limits"
import type { Logger } from "../../core/context.ts"
import { openLibrary } from "../../linux/c-library.ts"

const IPPROTO_TCP = 6
const TCP_NOTSENT_LOWAT = 25

const signatures = { setsockopt: { args: ["int", "int", "int", "ptr", "u32"], returns: "int" } } as const
type Library = ReturnType<typeof openLibrary<typeof signatures>>

/**
 * The kernel keeps some megabytes for each client that does not take what it is sent, and a container is charged for
 * them. This bounds what it keeps unsent; what is on its way to a distant client is not bounded by it. Only Linux has such
 * a bound, and a daemon with few streams does not need it.
 */
export class Unsent {
  #next: number = limits.fewStreams
  #library: Library | undefined

  constructor(private readonly log: Logger) {}

  /** Told how many streams are open. Again when they are twice as many: some had connected when the first were bounded. */
  opened(streams: number): void {
    if (streams < this.#next || process.platform !== "linux") return
    this.#next = 2 * streams
    try {
      this.#library ??= openLibrary(signatures)
      this.#bound(this.#library.setsockopt)
    } catch (error) {
      this.#next = Number.POSITIVE_INFINITY
      this.log("debug", "what the kernel keeps for clients is not bounded", { error: String(error) })
    }
  }

  /** All connections there are, and the listening socket, of which those that come have it. What is no socket refuses it. */
  #bound(setsockopt: Library["setsockopt"]): void {
    const most = new Uint32Array([limits.unsentBytes])
    for (const fd of readdirSync("/proc/self/fd"))
      setsockopt(Number(fd), IPPROTO_TCP, TCP_NOTSENT_LOWAT, most, most.byteLength)
  }
}

import { readdirSync } from "node:fs"
import { limits } from "@sandbox-agent/schema/limits"
import type { Logger } from "../../core/context.ts"

const IPPROTO_TCP = 6
const TCP_NOTSENT_LOWAT = 25

/** glibc, then musl by its own name. */
const libraries = ["libc.so.6", `libc.musl-${process.arch === "arm64" ? "aarch64" : "x86_64"}.so.1`]
const signatures = { setsockopt: { args: ["int", "int", "int", "ptr", "u32"], returns: "int" } } as const

/**
 * The kernel keeps some megabytes for each client that does not take what it is sent, and a container is charged for
 * them. This bounds what it keeps unsent; what is on its way to a distant client is not bounded by it. Only Linux has such
 * a bound, and a daemon with few streams does not need it.
 */
export class Unsent {
  #next: number = limits.fewStreams
  #library: ReturnType<typeof openLibrary> | undefined

  constructor(private readonly log: Logger) {}

  /** Told how many streams are open. Again when they are twice as many: some had connected when the first were bounded. */
  opened(streams: number): void {
    if (streams < this.#next || process.platform !== "linux") return
    this.#next = 2 * streams
    try {
      this.#library ??= openLibrary()
      this.#bound(this.#library.setsockopt)
    } catch (error) {
      this.#next = Number.POSITIVE_INFINITY
      this.log("debug", "what the kernel keeps for clients is not bounded", { error: String(error) })
    }
  }

  /** All connections there are, and the listening socket, of which those that come have it. What is no socket refuses it. */
  #bound(setsockopt: ReturnType<typeof openLibrary>["setsockopt"]): void {
    const most = new Uint32Array([limits.unsentBytes])
    for (const fd of readdirSync("/proc/self/fd"))
      setsockopt(Number(fd), IPPROTO_TCP, TCP_NOTSENT_LOWAT, most, most.byteLength)
  }
}

function openLibrary() {
  const { dlopen } = process.getBuiltinModule("bun:ffi" as "module") as unknown as typeof import("bun:ffi")
  const failures: unknown[] = []
  for (const name of libraries) {
    try {
      return dlopen(name, signatures).symbols
    } catch (error) {
      failures.push(error)
    }
  }
  throw new Error(failures.map(String).join("; "))
}

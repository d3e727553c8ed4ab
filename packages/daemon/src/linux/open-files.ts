import { closeSync, openSync, readdirSync, readFileSync, readlinkSync } from "node:fs"
import { openLibrary } from "./c-library.ts"

const EPOLL_CTL_MOD = 3
const EPOLLET = 0x80000000
/** A socket that listens, in the kernel's tables. */
const listening = /^ *\d+: [0-9A-F]+:([0-9A-F]{4}) \S+ 0A (?:\S+ +){5}(\d+)/gm

/** More than this share of the files that we may open are. */
const SCARCE = 0.5

/** How soon after a look the next request may set off another. */
const LOOK_MS = 1_000

/**
 * Keeps a daemon that has no file left for a connection from asking for it again and again: the runtime is told of a
 * connection that waits until it takes it, and it never can. Once files become scarce it is told of each once; those
 * that wait are taken with the next one that comes when there is room. Linux alone.
 */
export class OpenFiles {
  /** Held to have one to work with when all are taken. */
  #spare: number | undefined
  #done = false
  #looked = 0
  #timer: Timer | undefined

  constructor(
    private readonly port: () => number,
    private readonly log: (level: "warn", message: string, fields: Record<string, unknown>) => void,
  ) {}

  start(everyMs: number): void {
    if (process.platform !== "linux") return
    this.#spare = openSync("/dev/null", "r")
    this.#timer = setInterval(() => this.look(), everyMs).unref()
  }

  stop(): void {
    clearInterval(this.#timer)
    this.#done = true
  }

  /** A request came: connections may have become many. */
  requested(): void {
    if (!this.#done && performance.now() - this.#looked > LOOK_MS) this.look()
  }

  look(): void {
    if (this.#done || this.#spare === undefined) return
    this.#looked = performance.now()
    closeSync(this.#spare)
    try {
      const limit = openFilesLimit()
      const used = readdirSync("/proc/self/fd").length
      if (used < limit * SCARCE) return
      this.#done = true
      clearInterval(this.#timer)
      makeEdgeTriggered(this.port())
      this.log("warn", "files that may be open are scarce: connections may have to wait", { used, limit })
    } catch (error) {
      this.log("warn", "connections that wait for a file to be free may cost processor time", { error: String(error) })
    } finally {
      this.#spare = openSync("/dev/null", "r")
    }
  }
}

/** How many files this process may have open; the runtime has raised it as far as it may. */
export function openFilesLimit(): number {
  if (process.platform !== "linux") return Number.POSITIVE_INFINITY
  const [, soft] = /^Max open files +(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8")) ?? []
  return soft === undefined ? Number.POSITIVE_INFINITY : Number(soft)
}

/** Of a new connection, and not of one that waits. */
function makeEdgeTriggered(port: number): void {
  const sockets = new Set(
    ["tcp", "tcp6"].flatMap((table) =>
      [...readFileSync(`/proc/self/net/${table}`, "latin1").matchAll(listening)]
        .filter(([, local = ""]) => Number.parseInt(local, 16) === port)
        .map(([, , inode]) => `socket:[${inode}]`),
    ),
  )
  const fds = readdirSync("/proc/self/fd").map((fd) => ({ fd, link: linkOf(fd) }))
  const ours = new Set(fds.filter(({ link }) => sockets.has(link)).map(({ fd }) => fd))
  const watched = fds
    .filter(({ link }) => link === "anon_inode:[eventpoll]")
    .flatMap(({ fd: epoll }) => watchedBy(epoll).map((one) => ({ ...one, epoll })))
    .filter(({ fd }) => ours.has(fd))
  if (watched.length === 0) throw new Error("the listening socket was not found")
  const { epoll_ctl } = openLibrary({ epoll_ctl: { args: ["int", "int", "int", "ptr"], returns: "int" } } as const)
  for (const { epoll, fd, events, data } of watched)
    if (epoll_ctl(Number(epoll), EPOLL_CTL_MOD, Number(fd), epollEvent(events | EPOLLET, data)) !== 0)
      throw new Error("the kernel refused")
}

/** What an epoll is told to watch, as the kernel shows it. */
const watchedBy = (epoll: string): { fd: string; events: number; data: bigint }[] =>
  [
    ...readFileSync(`/proc/self/fdinfo/${epoll}`, "latin1").matchAll(
      /^tfd: +(\d+) events: +([0-9a-f]+) data: +([0-9a-f]+)/gm,
    ),
  ].map(([, fd = "", events = "", data = ""]) => ({
    fd,
    events: Number.parseInt(events, 16),
    data: BigInt(`0x${data}`),
  }))

/** As C lays it out: packed on x86-64, with a gap elsewhere. */
function epollEvent(events: number, data: bigint): Uint8Array {
  const at = process.arch === "x64" ? 4 : 8
  const bytes = new DataView(new ArrayBuffer(at + 8))
  bytes.setUint32(0, events >>> 0, true)
  bytes.setBigUint64(at, data, true)
  return new Uint8Array(bytes.buffer)
}

/** Empty: closed since it was listed. */
function linkOf(fd: string): string {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error
    return ""
  }
}

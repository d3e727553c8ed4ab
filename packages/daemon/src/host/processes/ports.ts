import { processLimits } from "@sandbox-agent/schema/process-limits"
import type { Logger } from "../../core/context.ts"

/** A TCP port that somebody listens on. */
export interface Port {
  port: number
  address: string
}

/** One that is listened on, and whose program does. */
export interface Listener extends Port {
  owner: string
}

export interface Listening {
  ports: Port[]
  portChanged(port: Port, state: "open" | "closed"): void
}

/** Polls which ports processes listen on: the kernel has no event for it. */
export class Ports {
  readonly #watched = new Map<string, Listening>()
  #timer: Timer | undefined
  #soon: Timer | undefined
  #looking: Promise<void> | undefined

  constructor(
    private readonly listeners: () => Promise<Listener[]>,
    private readonly log: Logger,
  ) {}

  watch(owner: string, process: Listening): void {
    this.#watched.set(owner, process)
    this.#timer ??= setInterval(() => void this.look(), processLimits.portsMs)
  }

  forget(owner: string): void {
    this.#watched.delete(owner)
    if (this.#watched.size > 0) return
    clearInterval(this.#timer)
    clearTimeout(this.#soon)
    this.#timer = undefined
    this.#soon = undefined
  }

  /** One has written something: many say so when they listen. */
  wrote(): void {
    this.#soon ??= setTimeout(() => {
      this.#soon = undefined
      void this.look()
    }, processLimits.portsSoonMs)
  }

  look(): Promise<void> {
    this.#looking ??= this.#look()
      .catch((error: unknown) => this.log("warn", "cannot see which ports are listened on", { error: String(error) }))
      .finally(() => {
        this.#looking = undefined
      })
    return this.#looking
  }

  async #look(): Promise<void> {
    const found = Map.groupBy(await this.listeners(), ({ owner }) => owner)
    for (const [owner, process] of this.#watched) {
      const now = (found.get(owner) ?? []).map(({ port, address }) => ({ port, address }))
      const before = [...process.ports]
      const isAmong = (all: Port[], one: Port) => all.some((p) => p.port === one.port && p.address === one.address)
      process.ports.splice(0, before.length, ...now)
      for (const port of before.filter((one) => !isAmong(now, one))) process.portChanged(port, "closed")
      for (const port of now.filter((one) => !isAmong(before, one))) process.portChanged(port, "open")
    }
  }
}

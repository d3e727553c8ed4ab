import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import type { Exit } from "../../src/core/driver-sink.ts"
import type { Child, SpawnOptions, Supervisor } from "../../src/core/supervisor.ts"

const fixtures = fileURLToPath(new URL("../fixtures/", import.meta.url))

/** The lines of a transcript, each an object of its own. */
export const recordedLines = <Line>(agent: string, name: string): Line[] =>
  readFileSync(`${fixtures}${agent}/${name}.jsonl`, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Line)

/** Stands where a process was: what its driver writes is kept, what the process said is said again. */
export class RecordedProcess<Message extends object> {
  readonly written: Message[] = []
  readonly #ended = Promise.withResolvers<void>()
  options: SpawnOptions | undefined
  #wake: (() => void)[] = []

  readonly supervisor: Supervisor = {
    spawn: (options) => {
      this.options = options
      return this.#child()
    },
    environment: (_agent, given) => ({ ...given }),
    killOwner: async () => {},
    stopAll: async () => {},
  }

  /** Its driver has ended its input. */
  get inputEnded(): Promise<void> {
    return this.#ended.promise
  }

  say(line: object | string): void {
    this.options?.onLine(typeof line === "string" ? line : JSON.stringify(line))
  }

  /** The first written line that fits and was not asked for before. */
  async until(fits: (line: Message) => boolean): Promise<Message> {
    while (true) {
      const found = this.written.find(fits)
      if (found !== undefined) {
        this.written.splice(this.written.indexOf(found), 1)
        return found
      }
      await new Promise<void>((resolve) => this.#wake.push(resolve))
    }
  }

  /** Its driver wrote this. */
  protected wrote(line: Message): void {
    this.written.push(line)
    for (const wake of this.#wake.splice(0)) wake()
  }

  #child(): Child {
    const exited = Promise.withResolvers<Exit>()
    const end = async () => {
      exited.resolve({ code: 0 })
      return { code: 0 }
    }
    return {
      pid: 1,
      startedAt: 0,
      alive: true,
      write: async (line) => this.wrote(JSON.parse(line) as Message),
      signal: () => {},
      endInput: () => this.#ended.resolve(),
      stop: end,
      kill: end,
      exited: exited.promise,
      rssBytes: () => undefined,
    }
  }
}

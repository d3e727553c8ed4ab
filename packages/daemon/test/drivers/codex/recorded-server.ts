import type { Exit } from "../../../src/core/driver.ts"
import type { Child, SpawnOptions, Supervisor } from "../../../src/core/supervisor.ts"

export interface Message {
  id?: number | string
  method?: string
  params?: Record<string, unknown> & { threadId?: string }
  result?: unknown
  error?: { message: string }
}

/** What concerns no thread, and what none of the transcripts tells, is answered at once. */
const answers: Record<string, unknown> = {
  initialize: {},
  "model/list": { data: [] },
  "command/exec": { exitCode: 0 },
  "thread/backgroundTerminals/list": { data: [] },
  "thread/backgroundTerminals/terminate": {},
  "thread/inject_items": {},
  "thread/archive": {},
  "thread/unarchive": {},
}

/** Stands where the server was: what the driver writes is kept, what the server said is said again. */
export class RecordedServer {
  readonly written: Message[] = []
  #options: SpawnOptions | undefined
  #wake: (() => void)[] = []

  readonly supervisor: Supervisor = {
    spawn: (options) => {
      this.#options = options
      return this.#child()
    },
    killOwner: async () => {},
    stopAll: async () => {},
  }

  say(message: object): void {
    this.#options?.onLine(JSON.stringify(message))
  }

  exit(exit: Exit): void {
    const options = this.#options
    this.#options = undefined
    options?.onExit(exit)
  }

  /** The next line of ours that fits, to come or not yet looked at. */
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

  #wrote(line: Message): void {
    if (line.method !== undefined && line.method in answers && line.id !== undefined)
      return queueMicrotask(() => this.say({ id: line.id, result: answers[line.method ?? ""] }))
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
      write: async (line) => this.#wrote(JSON.parse(line) as Message),
      signal: () => {},
      endInput: () => {},
      stop: end,
      kill: end,
      exited: exited.promise,
      rssBytes: () => undefined,
    }
  }
}

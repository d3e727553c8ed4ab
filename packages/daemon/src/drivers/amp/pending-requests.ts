import { resolve } from "node:path"
import type { NativeAnswer } from "../../core/driver.ts"
import type { LineSink, RequestSink } from "../../core/driver-sink.ts"
import type { Confinement } from "../../files/confinement.ts"
import { refusalText } from "../shared/refusal.ts"
import { type Ask, askOf, type Verdict } from "./ask.ts"
import { proposedDiff } from "./files.ts"
import { permissionOf } from "./permission.ts"
import { changedBy, fileTools, freeTools, pathOf } from "./tools.ts"
import { isWorkspaceSettings } from "./workspace.ts"

interface Early {
  key: string
  line: string
  ask: Ask
}

export interface Answering {
  answer(key: string, verdict: Verdict): boolean
}

export interface Calls {
  readonly calling: boolean
  isOpen(call: string): boolean
}

/** Tools that Amp's delegate asks for. Always answered for this once: rules are the core's. */
export class PendingRequests {
  readonly #open = new Set<string>()
  /** The line that tells of their call has not been read yet. */
  #early: Early[] = []
  /** Calls that were asked for and have no result yet, and what they would do to a file. */
  readonly #asked = new Map<string, string | undefined>()
  calls: Calls = { calling: false, isOpen: () => false }
  /** Amp's own settings in the workspace may be changed. */
  free = false

  constructor(
    private readonly sink: LineSink & RequestSink,
    private readonly directory: string,
    private readonly reach: Confinement,
    private readonly answering: () => Answering,
  ) {}

  get waiting(): boolean {
    return this.#open.size + this.#early.length > 0
  }

  diffOf = (call: string): string | undefined => this.#asked.get(call)

  /** Whether a tool that should have been asked for ran without. */
  isUnasked = ({ id, name, ran }: { id: string; name: string; ran: boolean }): boolean => {
    const asked = this.#asked.has(id)
    this.#asked.delete(id)
    return ran && !asked && !freeTools.includes(name) && name !== "unknown"
  }

  /** One line of a delegate. It may come before the line of the call, which was written first, is read. */
  asked(key: string, line: string): void {
    const early = { key, line, ask: askOf(line) }
    const { call } = early.ask
    // While no call runs there is no sub-agent either: the line of this one is still to come.
    if (!this.calls.isOpen(call) && !this.calls.calling) this.#early.push(early)
    else this.#tell(early)
  }

  /** A line of calls was read. */
  called(): void {
    const early = this.#early
    this.#early = []
    for (const one of early) this.#tell(one)
  }

  left(key: string): void {
    this.#early = this.#early.filter((one) => one.key !== key)
    if (this.#open.delete(key)) this.sink.unask(key)
  }

  async answer(key: string, answer: NativeAnswer): Promise<void> {
    if (!this.#open.delete(key) || answer.kind !== "permission") return
    const verdict = answer.reply === "once" ? { allow: true as const } : { refuse: refusalText(answer.message) }
    this.answering().answer(key, verdict)
  }

  turnEnded(): void {
    this.#asked.clear()
  }

  /** The process is gone: nobody waits for an answer. */
  end(): void {
    for (const key of this.#open) this.sink.unask(key)
    this.#open.clear()
    this.#early = []
    this.#asked.clear()
  }

  #tell({ key, line, ask }: Early): void {
    this.sink.line(line, () => {
      // Of a sub-agent's calls nothing is told but this.
      const call = this.calls.isOpen(ask.call) ? { call: ask.call } : {}
      if (call.call !== undefined) this.#asked.set(ask.call, undefined)
      this.#open.add(key)
      if (!fileTools.includes(ask.tool)) return this.sink.ask({ key, ...call, ...permissionOf(ask) }, this)
      const path = pathOf(ask.input)
      const file = path === undefined ? undefined : resolve(this.directory, path)
      const looked = [proposedDiff(ask, file, this.reach), changesSettings(ask, this.directory)] as const
      this.sink.after(Promise.all(looked), (found) => {
        if (!this.#open.has(key)) return // it left meanwhile
        // Where nobody could look it may be those.
        if (!this.free && found?.[1] !== false) return this.#refuse(key)
        const diff = found?.[0]
        if (call.call !== undefined) this.#asked.set(ask.call, diff)
        this.sink.ask({ key, ...call, ...permissionOf(ask, diff) }, this)
      })
    })
  }

  #refuse(key: string): void {
    this.#open.delete(key)
    this.answering().answer(key, {
      refuse: refusalText("settings of Amp in the workspace decide what it asks for"),
    })
  }
}

/** Whether a tool that changes files would change what decides what is asked for. */
async function changesSettings({ tool, input }: Ask, directory: string): Promise<boolean> {
  const files = changedBy(tool, input)
  if (files.length === 0) return /\.amp\/settings\.json/i.test(JSON.stringify(input))
  // One after the other: a patch may name thousands.
  for (const file of files) if (await isWorkspaceSettings(file, directory)) return true
  return false
}

import type { SourceName } from "./entry.ts"

export type InstallPhase = "wait" | "resolve" | "download" | "verify" | "unpack" | "check" | "activate"

export interface InstallProgress {
  phase: InstallPhase
  bytes: number
  total?: number
  source?: SourceName
  /** A word for people, such as the version found or what the package manager says. */
  message?: string
}

export type OnProgress = (progress: InstallProgress) => void

/** One install, many listeners. Whoever joins late hears where it stands. Numbers come no faster than a reader needs. */
export class ProgressFan {
  readonly #listeners = new Set<OnProgress>()
  #last: InstallProgress | undefined
  /** Told too soon after the one before. */
  #held: InstallProgress | undefined
  #sent = 0
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(private readonly everyMs: number) {}

  join(listener: OnProgress | undefined): void {
    if (!listener) return
    this.#listeners.add(listener)
    if (this.#last) quietly(listener, this.#last)
  }

  readonly report: OnProgress = (progress) => {
    const before = this.#last
    this.#last = progress
    const complete = progress.total !== undefined && progress.bytes === progress.total
    const same = before?.phase === progress.phase && before.message === progress.message && !complete
    if (same && Date.now() - this.#sent < this.everyMs) {
      this.#held = progress
      // A download that stalls says nothing more: what came before is told all the same.
      this.#timer ??= setTimeout(() => this.#held && this.#tell(this.#held), this.everyMs).unref()
      return
    }
    // The last number of a phase is always reported, however soon it came.
    if (this.#held !== undefined && this.#held.phase !== progress.phase) this.#tell(this.#held)
    this.#tell(progress)
  }

  #tell(progress: InstallProgress): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#held = undefined
    this.#sent = Date.now()
    for (const listener of this.#listeners) quietly(listener, progress)
  }
}

/** A listener that fails, such as a closed stream, costs nobody the install. */
function quietly(listener: OnProgress, progress: InstallProgress): void {
  try {
    listener(progress)
  } catch {
    // Its own trouble.
  }
}

/** Attempts to commit before the store calls itself failing, and the pause between them. */
const ATTEMPTS = 3
const RETRY_MS = 250

/** What becomes of commits that fail: they are tried again, and after a few of them the store calls itself failing. */
export class Failures {
  #count = 0
  #failing = false
  #retry: Timer | undefined
  #room: Promise<void> | undefined
  #roomAgain: (() => void) | undefined

  constructor(
    /** Tries to commit. */
    private readonly commit: () => void,
    private readonly onFailing: (failing: boolean, error?: unknown) => void,
  ) {}

  get failing(): boolean {
    return this.#failing
  }

  /** The next attempt is the timer's: agents go on writing and would use up the attempts in a moment. */
  get isPausing(): boolean {
    return this.#retry !== undefined
  }

  /** True for the first one in a row. */
  failed(error: unknown): boolean {
    this.#count++
    if (this.#count >= ATTEMPTS && !this.#failing) {
      this.#failing = true
      this.onFailing(true, error)
    }
    return this.#count === 1
  }

  tryLater(): void {
    if (this.#retry !== undefined) return
    this.#retry = setTimeout(() => {
      this.#retry = undefined
      this.commit()
    }, RETRY_MS)
    this.#retry.unref()
  }

  recovered(): void {
    this.#count = 0
    clearTimeout(this.#retry)
    this.#retry = undefined
    if (this.#failing) {
      this.#failing = false
      this.onFailing(false)
    }
    this.#roomAgain?.()
    this.#room = undefined
    this.#roomAgain = undefined
  }

  /** Resolves with the next commit that goes well. */
  room(): Promise<void> {
    this.#room ??= new Promise((resolve) => {
      this.#roomAgain = resolve
    })
    return this.#room
  }
}

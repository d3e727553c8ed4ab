import type { UniversalApi } from "../api/universal.ts"
import { isSandboxAgentError, SandboxAgentError } from "../errors.ts"
import type { Event } from "../types.ts"

export interface FeedListener {
  event(event: Event): void
  /** The stream is lost; nothing comes any more. */
  failed(error: SandboxAgentError): void
  /** Whoever waits for something to be told waits in vain: the session object was closed, or its client disposed. */
  closed?(): void
}

interface Run {
  stop: AbortController
  /** Resolves with the sequence behind which it began. */
  ready: Promise<number>
  /** The last event that was told. */
  last?: number
}

/** One live stream of a session for everybody who listens to this object, open while anybody does. */
export class Feed {
  readonly #api: UniversalApi
  readonly #id: string
  readonly #report: (error: Error) => void
  readonly #listeners = new Set<FeedListener>()
  #run: Run | undefined

  constructor(api: UniversalApi, id: string, report: (error: Error) => void) {
    this.#api = api
    this.#id = id
    this.#report = report
  }

  /** From now on. What happens after `ready` resolves is told for certain: all behind the sequence that it resolves with. */
  listen(listener: FeedListener): { leave: () => void; ready: Promise<number> } {
    this.#listeners.add(listener)
    this.#run ??= this.#start()
    const { last, ready } = this.#run
    const leave = () => {
      this.#listeners.delete(listener)
      if (this.#listeners.size === 0) this.#stop()
    }
    return { leave, ready: last === undefined ? ready : Promise.resolve(last) }
  }

  close(): void {
    for (const listener of this.#stop()) listener.closed?.()
  }

  /** Gives those who listened until now. */
  #stop(): FeedListener[] {
    const listeners = [...this.#listeners]
    this.#listeners.clear()
    this.#run?.stop.abort()
    this.#run = undefined
    return listeners
  }

  #start(): Run {
    const stop = new AbortController()
    let isReady: (from: number) => void = () => undefined
    let isNotReady: (error: unknown) => void = () => undefined
    const ready = new Promise<number>((resolve, reject) => {
      isReady = resolve
      isNotReady = reject
    })
    // Who waits for it gets the error; listeners are told, too.
    ready.catch(() => undefined)
    const run: Run = { stop, ready }
    this.#follow(run, isReady).catch((error: unknown) => {
      isNotReady(error)
      if (this.#run !== run) return
      const lost = isSandboxAgentError(error) ? error : new SandboxAgentError("protocol", String(error), error)
      // Nothing else than the end of the client aborts a run that is still ours.
      const isClosed = lost.kind === "aborted"
      for (const listener of this.#stop()) isClosed ? listener.closed?.() : listener.failed(lost)
    })
    return run
  }

  async #follow(run: Run, isReady: (from: number) => void): Promise<void> {
    const { signal } = run.stop
    const { lastSequence } = await this.#api.getSession(this.#id, { signal })
    const stream = this.#api.streamEvents(this.#id, { offset: lastSequence, signal })
    await stream.opened()
    isReady(lastSequence)
    run.last = lastSequence
    for await (const event of stream) {
      run.last = event.sequence
      for (const listener of [...this.#listeners]) {
        try {
          listener.event(event)
        } catch (error) {
          this.#report(new SandboxAgentError("argument", `A listener threw: ${String(error)}`, error))
        }
      }
    }
  }
}

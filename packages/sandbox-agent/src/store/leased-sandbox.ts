import { intervalOf } from "acp-http-client"
import type { Rest } from "../api/rest.ts"
import { ProblemError } from "../errors.ts"
import type { SessionInfo } from "../types.ts"
import { BlobKeeper } from "./blob-keeper.ts"
import type { IngestOptions } from "./ingest.ts"
import { keepNativeState } from "./keep-native-state.ts"
import { isResting, readSession } from "./read-session.ts"
import type { Lease, SessionStore } from "./session-store.ts"
import { Slots } from "./slots.ts"
import { Writer } from "./writer.ts"

/** Reads one sandbox while its lease is ours. */
export class LeasedSandbox {
  readonly #stop = new AbortController()
  readonly #writer: Writer
  readonly #blobs: BlobKeeper
  readonly #slots: Slots
  /** Sessions that are read, and whether something new was told of them meanwhile. */
  readonly #reading = new Map<string, { again: boolean }>()
  readonly #tasks = new Set<Promise<void>>()
  #error: unknown

  constructor(
    private readonly store: SessionStore,
    private readonly lease: Lease,
    private readonly api: Rest,
    private readonly options: Required<IngestOptions>,
    /** Something could be read. */
    private readonly onRead: () => void,
  ) {
    this.#writer = new Writer(store, lease, options.batchEvents)
    this.#blobs = new BlobKeeper(store, lease, api, options.blobBytes, (error) => options.onError(error, lease.sandbox))
    this.#slots = new Slots(options.streams)
  }

  stop(error?: unknown): void {
    this.#error ??= error
    this.#stop.abort()
  }

  /** Until it is stopped. What was read is stored then. */
  async read(): Promise<void> {
    const { signal } = this.#stop
    const sweeping = intervalOf(() => this.#task(() => this.#sweep()), this.options.sweepMs)
    try {
      const told = this.api.streamGlobalEvents({
        signal,
        // What was told while it was not open is not known.
        onState: ({ state }) => state === "open" && this.#task(() => this.#sweep()),
      })
      for await (const { session_id: id } of told) this.#touch(id)
    } catch (error) {
      if (!signal.aborted) this.stop(error)
    } finally {
      clearInterval(sweeping)
      this.#stop.abort()
      while (this.#tasks.size > 0) await Promise.all(this.#tasks)
      await this.#writer.written().catch((error: unknown) => {
        this.#error ??= error
      })
    }
    if (this.#error !== undefined) throw this.#error
  }

  #task(work: () => Promise<void>): void {
    const task = work()
      .catch((error: unknown) => {
        if (!this.#stop.signal.aborted) this.stop(error)
      })
      .finally(() => this.#tasks.delete(task))
    this.#tasks.add(task)
  }

  /** Every session of the daemon, and those that are no longer there. */
  async #sweep(): Promise<void> {
    const { signal } = this.#stop
    const { sandbox } = this.lease
    const before = new Set<string>()
    for (let cursor: string | undefined; ; ) {
      const page = await this.store.list({ sandbox, deleted: false, limit: 1000, cursor })
      for (const { id } of page.sessions) before.add(id)
      cursor = page.nextCursor
      if (cursor === undefined) break
    }
    for (let cursor: string | undefined; !signal.aborted; ) {
      const page = await this.api.listSessions({ limit: 200, cursor, signal })
      await this.#look(page.sessions)
      for (const { id } of page.sessions) before.delete(id)
      cursor = page.nextCursor
      if (cursor === undefined) break
    }
    // One that is not on the pages may have been made meanwhile: it is asked for by its name.
    for (const id of before) this.#touch(id)
    this.onRead()
  }

  async #look(sessions: readonly SessionInfo[]): Promise<void> {
    const opened = await this.store.open(this.lease, sessions)
    for (const [at, info] of sessions.entries()) {
      const isBehind = (opened[at]?.lastSequence ?? 0) < info.lastSequence
      if (isBehind || !isResting(info)) this.#touch(info.id)
    }
  }

  #touch(id: string): void {
    const found = this.#reading.get(id)
    if (found !== undefined) {
      found.again = true
      return
    }
    const state = { again: false }
    this.#reading.set(id, state)
    this.#task(async () => {
      try {
        do {
          state.again = false
          await this.#slots.use(async () => {
            if (!(await this.#follow(id))) state.again = true
          })
        } while (state.again && !this.#stop.signal.aborted)
      } finally {
        this.#reading.delete(id)
      }
    })
  }

  async #follow(id: string): Promise<boolean> {
    const { store, lease, api } = this
    const { signal } = this.#stop
    if (signal.aborted) return true
    try {
      const isWaitedFor = () => this.#slots.isWaitedFor
      const isDone = await readSession({
        store,
        lease,
        api,
        writer: this.#writer,
        blobs: this.#blobs,
        isWaitedFor,
        id,
        signal,
      })
      if (isDone && this.options.nativeState) await keepNativeState({ store, lease, api, id, signal })
      return isDone
    } catch (error) {
      if (!(error instanceof ProblemError) || error.code !== "session_not_found") throw error
      await this.#writer.written()
      await store.markDeleted(lease, [id])
      return true
    }
  }
}

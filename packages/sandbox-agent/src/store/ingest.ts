import { backOff, intervalOf, pause } from "acp-http-client"
import type { SandboxAgentClient } from "../client.ts"
import { isSandboxAgentError, SandboxAgentError } from "../errors.ts"
import { randomId } from "../random-id.ts"
import { LeasedSandbox } from "./leased-sandbox.ts"
import { storeLimits } from "./limits.ts"
import type { Lease, SessionStore } from "./session-store.ts"

/** The entry of what stores of sessions have in common; each store is an entry of its own. */
export { StoreError } from "../errors.ts"
export { type FollowOptions, followStored } from "./follow.ts"
export { type RestoredFromStore, type RestoreOptions, restoreStored } from "./restore.ts"
export type * from "./session-store.ts"

export interface IngestOptions {
  /** Names this program among others of the same store. Default: a random one. */
  holder?: string
  /** How long a sandbox is this program's own after it was last heard of. Default: 15 seconds. */
  leaseMs?: number
  /** Events that are written at once. Default: 500. */
  batchEvents?: number
  /** Sessions of one sandbox that are read at once. Default: 32. */
  streams?: number
  /** The largest picture or attachment that is stored with its session. Default: 16 MiB, which is all that a daemon takes. 0: none. */
  blobBytes?: number
  /** Whether the agent's own record of a session is stored each time it rests: with it a restored session goes on natively. Default: true. */
  nativeState?: boolean
  /** How often all sessions are looked at, beside what the daemon tells of them. Default: a minute. */
  sweepMs?: number
  /** What went wrong and is tried again. Default: `console.error`. */
  onError?: (error: SandboxAgentError, sandbox: string) => void
}

/** What is read of a client. */
export type IngestClient = Pick<SandboxAgentClient, "rest">

/**
 * Brings what many sandboxes say into one store, each event once, from the last one that is stored. Several programs may do so for the same
 * sandboxes: each is read by one of them, and by another when that one is gone.
 */
export class Ingest implements AsyncDisposable {
  readonly #store: SessionStore
  readonly #options: Required<IngestOptions>
  readonly #running = new Map<string, { stop: AbortController; done: Promise<void> }>()

  constructor(store: SessionStore, options: IngestOptions = {}) {
    this.#store = store
    this.#options = {
      holder: options.holder ?? randomId("ingest"),
      leaseMs: options.leaseMs ?? 15_000,
      batchEvents: options.batchEvents ?? 500,
      streams: options.streams ?? 32,
      blobBytes: options.blobBytes ?? storeLimits.blobBytes,
      nativeState: options.nativeState ?? true,
      sweepMs: options.sweepMs ?? 60_000,
      onError: options.onError ?? ((error, sandbox) => console.error("sandbox-agent:", sandbox, error)),
    }
  }

  /** Reads this sandbox from here on, whenever no other program does. */
  add(sandbox: string, client: IngestClient): void {
    if (this.#running.has(sandbox)) throw new SandboxAgentError("argument", `${sandbox} is being read already`)
    const stop = new AbortController()
    this.#running.set(sandbox, { stop, done: this.#keep(sandbox, client, stop.signal) })
  }

  /** Resolves when what was read is stored, and the sandbox is free for others. */
  async remove(sandbox: string): Promise<void> {
    const found = this.#running.get(sandbox)
    found?.stop.abort()
    await found?.done
    this.#running.delete(sandbox)
  }

  async close(): Promise<void> {
    await Promise.all([...this.#running.keys()].map((sandbox) => this.remove(sandbox)))
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  async #keep(sandbox: string, client: IngestClient, signal: AbortSignal): Promise<void> {
    const { holder, leaseMs } = this.#options
    for (let failures = 0; !signal.aborted; ) {
      try {
        const lease = await this.#store.lease(sandbox, holder, leaseMs)
        if (lease === undefined) {
          await pause(leaseMs / 2, signal)
          continue
        }
        await this.#hold(lease, client, signal, () => {
          failures = 0
        })
      } catch (error) {
        if (signal.aborted) return
        const { onError } = this.#options
        onError(isSandboxAgentError(error) ? error : new SandboxAgentError("store", String(error), error), sandbox)
        await pause(backOff(failures++, 200, leaseMs), signal)
      }
    }
  }

  /** Until the signal, or until something goes wrong. */
  async #hold(lease: Lease, client: IngestClient, signal: AbortSignal, onRead: () => void): Promise<void> {
    const reading = new LeasedSandbox(this.#store, lease, client.rest, this.#options, onRead)
    const onAbort = () => reading.stop()
    signal.addEventListener("abort", onAbort)
    if (signal.aborted) onAbort()
    const renewing = intervalOf(() => {
      this.#store.lease(lease.sandbox, lease.holder, this.#options.leaseMs).then(
        (now) => now?.epoch !== lease.epoch && reading.stop(),
        (error: unknown) => reading.stop(error),
      )
    }, this.#options.leaseMs / 3)
    try {
      await reading.read()
    } finally {
      clearInterval(renewing)
      signal.removeEventListener("abort", onAbort)
      await this.#store.release(lease)
    }
  }
}

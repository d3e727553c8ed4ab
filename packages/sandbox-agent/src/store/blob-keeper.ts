import type { Rest } from "../api/rest.ts"
import { ProblemError, SandboxAgentError } from "../errors.ts"
import type { Event, EventOf } from "../types.ts"
import { storeLimits } from "./limits.ts"
import type { Lease, SessionStore, StoredBlob } from "./session-store.ts"
import { Slots } from "./slots.ts"
import { namedBlobs } from "./stored-blobs.ts"

type WithItem = EventOf<"item.started"> | EventOf<"item.completed">

export const namesBlobs = (event: Event): event is WithItem =>
  (event.type === "item.completed" || event.type === "item.started") && namedBlobs(event.data.item).length > 0

interface Named {
  id: string
  uid: string
  event: WithItem
  signal: AbortSignal
}

/** Brings bytes that an event names into the store before the event: whoever reads the one finds the other. */
export class BlobKeeper {
  readonly #slots = new Slots(storeLimits.blobsAtOnce)
  /** Most are named twice: when an item begins, and when it is done. */
  readonly #known = new Set<string>()

  constructor(
    private readonly store: SessionStore,
    private readonly lease: Lease,
    private readonly api: Rest,
    private readonly largest: number,
    private readonly onError: (error: SandboxAgentError) => void,
  ) {}

  async keep(named: Named): Promise<void> {
    if (this.largest <= 0) return
    for (const hash of namedBlobs(named.event.data.item)) {
      const key = `${named.uid} ${hash}`
      if (this.#known.has(key)) continue
      await this.#slots.use(async () => {
        const blob = await this.#fetch(named, hash)
        if (blob !== undefined) await this.store.saveBlob(this.lease, named.uid, blob)
      })
      if (this.#known.size >= storeLimits.knownBlobs) this.#known.clear()
      this.#known.add(key)
    }
  }

  /** Undefined: the daemon has it no more, or it is too large, or not what was named. */
  async #fetch({ id, signal }: Named, hash: string): Promise<StoredBlob | undefined> {
    const stop = new AbortController()
    const onAbort = () => stop.abort()
    signal.addEventListener("abort", onAbort)
    if (signal.aborted) onAbort()
    let isTooLarge = false
    const onProgress = ({ bytes, total = bytes }: { bytes: number; total?: number }) => {
      isTooLarge ||= Math.max(bytes, total) > this.largest
      if (isTooLarge) stop.abort()
    }
    try {
      const blob = await this.api.getBlob(id, hash, { onProgress, signal: stop.signal })
      const bytes = new Uint8Array(await blob.arrayBuffer())
      const found = await hashOf(bytes)
      if (found === undefined || found === hash) return { hash, mime: blob.type, bytes }
      this.onError(new SandboxAgentError("protocol", `Session ${id}: the bytes of ${hash} have the hash ${found}`))
      return undefined
    } catch (error) {
      if (isTooLarge || (error instanceof ProblemError && error.code === "not_found")) return undefined
      throw error
    } finally {
      signal.removeEventListener("abort", onAbort)
    }
  }
}

/** Bytes are shared by their hash: a daemon shall not put its own in the place of another's. A page without https cannot tell. */
async function hashOf(bytes: Uint8Array<ArrayBuffer>): Promise<string | undefined> {
  if (globalThis.crypto?.subtle === undefined) return undefined
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes))
  return [...digest].map((byte) => byte.toString(16).padStart(2, "0")).join("")
}

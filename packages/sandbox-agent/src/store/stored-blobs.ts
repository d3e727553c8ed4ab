import { toBase64 } from "../api/base64.ts"
import type { Item, RestoreSessionRequest } from "../types.ts"
import { storeLimits } from "./limits.ts"
import type { SessionRef, SessionStore } from "./session-store.ts"

/** Hashes of the bytes that an item names. */
export const namedBlobs = ({ content }: Item): string[] =>
  content.flatMap((part) => ("blob" in part && part.blob !== undefined ? [part.blob] : []))

interface Blobs {
  blobs: NonNullable<RestoreSessionRequest["blobs"]>
  /** All that the items name. */
  isWhole: boolean
}

/** What items name, from the newest back, as far as it fits into one request with them. */
export async function blobsOf(
  store: SessionStore,
  ref: SessionRef,
  items: readonly Item[],
  /** Bytes that the request has beside them. */
  beside = 0,
): Promise<Blobs> {
  const { sandbox, id, createdAt } = ref
  const named = new Set(items.flatMap(namedBlobs).reverse())
  if (named.size === 0) return { blobs: [], isWhole: true }
  let left = storeLimits.restoredBytes - beside - new TextEncoder().encode(JSON.stringify(items)).length
  const blobs: Blobs["blobs"] = []
  for (const hash of named) {
    if (blobs.length === storeLimits.restoredBlobs) break
    const found = await store.blob({ sandbox, id, ...(createdAt !== undefined && { createdAt }) }, hash)
    if (found === undefined) continue
    const data = toBase64(found.bytes)
    if (data.length > left) break
    left -= data.length
    blobs.push({ mime: found.mime || "application/octet-stream", data })
  }
  return { blobs, isWhole: blobs.length === named.size }
}

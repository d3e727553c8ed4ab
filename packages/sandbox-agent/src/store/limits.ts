/** Bounds of stores. */
export const storeLimits = {
  /** Sessions, hits, or events of a page that names no number; and the most. */
  page: 200,
  mostPage: 1000,
  /** Characters of one item that can be searched. */
  searchChars: 100_000,
  /** Words of a query. */
  searchWords: 20,
  /** Bytes of a picture or an attachment, the largest that a daemon takes; and how many of one sandbox are fetched at once. */
  blobBytes: 16 * 1024 * 1024,
  blobsAtOnce: 4,
  /** Which blobs were stored already is remembered of so many. */
  knownBlobs: 10_000,
  /** What a daemon is told of a session that it restores: characters of items, items, and decisions. */
  restoredChars: 8 * 1024 * 1024,
  restoredItems: 20_000,
  restoredDecisions: 50,
  /** With blobs, the newest, as many as fit behind the items. It takes 32 MiB. */
  restoredBytes: 31 * 1024 * 1024,
  restoredBlobs: 1000,
}

export const pageOf = (limit: number | undefined): number =>
  Math.max(1, Math.min(limit ?? storeLimits.page, storeLimits.mostPage))

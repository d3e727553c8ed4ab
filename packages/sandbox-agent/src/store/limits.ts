/** Bounds of stores. */
export const storeLimits = {
  /** Sessions, hits, or events of a page that names no number; and the most. */
  page: 200,
  mostPage: 1000,
  /** Characters of one item that can be searched. */
  searchChars: 100_000,
  /** Words of a query. */
  searchWords: 20,
  /** What a daemon is told of a session that it restores: characters of items, items, and decisions. It takes 32 MiB. */
  restoredChars: 8 * 1024 * 1024,
  restoredItems: 20_000,
  restoredDecisions: 50,
}

export const pageOf = (limit: number | undefined): number =>
  Math.max(1, Math.min(limit ?? storeLimits.page, storeLimits.mostPage))

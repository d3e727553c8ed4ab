/** Bounds of stores. */
export const storeLimits = {
  /** Sessions, hits, or events of a page that names no number; and the most. */
  page: 200,
  mostPage: 1000,
  /** Characters of one item that can be searched. */
  searchChars: 100_000,
  /** Words of a query. */
  searchWords: 20,
}

export const pageOf = (limit: number | undefined): number =>
  Math.max(1, Math.min(limit ?? storeLimits.page, storeLimits.mostPage))

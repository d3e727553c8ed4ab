import type { Database } from "bun:sqlite"
import { isBroken } from "./damage.ts"

const STEP = 256

/**
 * The rowids of a table in ascending order, those behind damaged pages included. `onGap` is told of each place at which
 * rows may be missing. Reads no more than the tree: a row itself may still turn out to be damaged.
 */
export function* readableRowids(db: Database, table: string, onGap: () => void): Generator<number> {
  const ids = db.prepare(`SELECT rowid AS id FROM ${table} NOT INDEXED WHERE rowid >= ? ORDER BY rowid LIMIT ?`)
  const from = (start: number, limit: number): number[] | undefined => {
    try {
      return (ids.all(start, limit) as { id: number }[]).map(({ id }) => id)
    } catch (error) {
      if (!isBroken(error)) throw error
      return undefined
    }
  }
  try {
    const most = lastOf(db, table)
    const isSound = (id: number, least: number) => id >= least && id <= most
    const readable = (place: number) => from(place, 1)?.every((id) => isSound(id, place)) ?? false
    for (let start: number | undefined = 0; start !== undefined; ) {
      const found: number[] | undefined = from(start, STEP) ?? from(start, 1)
      if (found?.length === 0) return
      // A damaged page may give any number for a rowid: what does not ascend, or is beyond the last one, is none.
      let next: number = start
      for (const id of found ?? []) {
        if (!isSound(id, next)) break
        yield id
        next = id + 1
      }
      if (next === (found?.at(-1) ?? Number.NaN) + 1) {
        start = next
        continue
      }
      onGap()
      start = firstReadable(next, readable)
    }
  } finally {
    ids.finalize()
  }
}

/** The least place after `bad` from which can be read: steps that double, then the middle between. */
function firstReadable(bad: number, readable: (place: number) => boolean): number | undefined {
  let low = bad
  let high = bad
  for (let step = 1; ; step *= 2) {
    high = low + step
    if (!Number.isSafeInteger(high)) return undefined
    if (readable(high)) break
    low = high
  }
  while (high - low > 1) {
    const middle = low + Math.floor((high - low) / 2)
    if (readable(middle)) high = middle
    else low = middle
  }
  return high
}

function lastOf(db: Database, table: string): number {
  try {
    const row = db.query(`SELECT rowid AS id FROM ${table} NOT INDEXED ORDER BY rowid DESC LIMIT 1`).get()
    return (row as { id: number } | null)?.id ?? Number.MAX_SAFE_INTEGER
  } catch (error) {
    if (!isBroken(error)) throw error
    return Number.MAX_SAFE_INTEGER
  }
}

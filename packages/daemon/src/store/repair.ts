import { Database } from "bun:sqlite"
import { closeSync, copyFileSync, linkSync, openSync, renameSync, rmSync } from "node:fs"
import { dirname } from "node:path"
import { isBroken } from "./damage.ts"
import { type LostEvents, lostEvents } from "./lost-events.ts"
import { migrate, migrations } from "./migrations.ts"
import { rebuildSessions } from "./rebuild-sessions.ts"
import { type Salvaged, salvage } from "./salvage.ts"
import { readableFile } from "./truncated-file.ts"

export interface Repair {
  salvaged: Salvaged
  /** Sessions whose rows were made again of what else is known of them. */
  rebuilt: string[]
  lostEvents: LostEvents[]
}

export interface Repaired extends Repair {
  /** The damaged file: it holds all that it held, also what is deleted later. */
  kept: string
}

/** Where the new file is made. */
const draftOf = (path: string): string => `${path}.repair`

/** What a repair that was cut off has left. */
export function removeDraft(path: string): void {
  for (const suffix of [".repair", ".repair-journal", ".whole", ".whole-wal", ".whole-shm"])
    rmSync(`${path}${suffix}`, { force: true })
}

/**
 * Makes a new file beside the damaged one of all that can be read, step by step. Nobody may write meanwhile. Throws where
 * nothing can be read at all.
 */
export function* repair(path: string): Generator<void, Repair> {
  const draft = draftOf(path)
  removeDraft(path)
  closeSync(openSync(draft, "wx", 0o600))
  const whole = readableFile(path)
  const from = new Database(whole.readable)
  const to = new Database(draft)
  let done = false
  try {
    from.run("PRAGMA cell_size_check = ON")
    const { user_version: version } = from.query("PRAGMA user_version").get() as { user_version: number }
    from.query("SELECT count(*) FROM sqlite_schema").get()
    to.run("PRAGMA auto_vacuum = INCREMENTAL")
    to.run("PRAGMA journal_mode = OFF")
    migrate(to, migrations.slice(0, version), () => {})
    // What a new file begins with would stand in the way of what this one has.
    to.run("DELETE FROM meta")
    const salvaged = yield* salvage(from, to)
    const rebuilt = rebuildSessions(from, to, dirname(path))
    // Whoever opens the file later must find all of it in the file that is kept.
    from.run("PRAGMA wal_checkpoint(TRUNCATE)")
    const lost = lostEvents(to)
    if (COPIES.some((table) => (salvaged[table]?.lost ?? 0) > 0)) refoldLater(to, allSessions(to))
    else if (lost.length > 0)
      refoldLater(
        to,
        lost.map(({ uid }) => uid),
      )
    // Nothing that anybody would miss was found.
    done = Boolean(salvaged.sessions?.saved || salvaged.log?.saved || salvaged.items?.saved)
    if (!done) throw new NothingSaved("nothing of it can be read")
    return { salvaged, rebuilt, lostEvents: lost }
  } finally {
    from.close()
    to.close()
    whole.done()
    if (!done) removeDraft(path)
  }
}

/** What their rows say can be told from the log again. */
const COPIES = ["items", "turns", "requests"]

/** Which session lost rows cannot be known. */
const allSessions = (db: Database): number[] =>
  (db.query("SELECT uid FROM sessions WHERE deleted = 0").all() as { uid: number }[]).map(({ uid }) => uid)

/** They are looked at when they are loaded. */
function refoldLater(db: Database, uids: number[]): void {
  db.query("INSERT OR REPLACE INTO meta (key, value) VALUES ('refold', ?)").run(JSON.stringify(uids))
}

class NothingSaved extends Error {}

/** Puts the new file in the place of the damaged one, which is kept beside it. Nobody may have it open. */
export function replaceDamaged(path: string, now: Date = new Date()): string {
  const kept = `${path}.damaged-${now.toISOString().replaceAll(":", "-")}`
  try {
    linkSync(path, kept)
  } catch {
    // A file system without links.
    copyFileSync(path, kept)
  }
  // A log of the old file would be played into the new one.
  for (const suffix of ["-wal", "-shm"]) rmSync(`${path}${suffix}`, { force: true })
  renameSync(draftOf(path), path)
  return kept
}

/** At once, for a file that nobody has open. Undefined where nothing could be saved; then it is left as it is. */
export function repairNow(path: string): Repaired | undefined {
  try {
    const steps = repair(path)
    let step = steps.next()
    while (!step.done) step = steps.next()
    return { ...step.value, kept: replaceDamaged(path) }
  } catch (error) {
    if (isBroken(error) || error instanceof NothingSaved) return undefined
    throw error
  }
}

/** Sessions that are named one by one. */
const NAMED = 20

/** In words for whoever runs the daemon. */
export function repairText({ salvaged, rebuilt, lostEvents: holes, kept }: Repaired): string {
  const lost = Object.entries(salvaged).filter(([, table]) => table.lost > 0)
  const places = lost.map(([name]) => name).join(", ")
  const named = holes.slice(0, NAMED).map((hole) => `${hole.lost} of session ${hole.session}`)
  if (holes.length > NAMED) named.push(`those of ${holes.length - NAMED} more sessions`)
  const sum = holes.reduce((count, hole) => count + hole.lost, 0)
  const events = sum === 0 ? "" : `${sum} events (${named.join(", ")})`
  const where = events === "" && places !== "" ? `places of ${places}, and no event that is known of` : events
  const again = rebuilt.length > 0 ? `; put together again: ${rebuilt.join(", ")}` : ""
  return `the store was damaged and has been repaired: ${where === "" ? "nothing is lost" : `lost were ${where}`}${again}; the damaged file is kept as ${kept}`
}

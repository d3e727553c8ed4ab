import type { Database } from "bun:sqlite"
import { closeSync, existsSync, openSync, readdirSync, renameSync, rmSync, statSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { limits } from "@sandbox-agent/schema/limits"

/** A copy beside the file, as secret as the file itself. One per version: a migration that keeps failing adds no more. */
export function backup(db: Database, path: string, version: number): void {
  const copy = `${path}.v${version}.backup`
  if (existsSync(copy)) return
  const draft = `${copy}.${process.pid}`
  rmSync(draft, { force: true })
  try {
    closeSync(openSync(draft, "wx", 0o600))
    db.run("VACUUM INTO ?", [draft])
    renameSync(draft, copy)
  } catch (error) {
    for (const file of [draft, `${draft}-journal`]) rmSync(file, { force: true })
    throw error
  }
}

/** Copies of a file that has moved on, and drafts of copies that a kill left. They hold what was deleted since. */
export function removeBackups(path: string, olderThanMs: number = 0, now: number = Date.now()): void {
  const folder = dirname(path)
  const start = `${basename(path)}.v`
  for (const name of readdirSync(folder)) {
    const form = name.startsWith(start) ? /^\d+\.backup(\.\d+(-journal)?)?$/.exec(name.slice(start.length)) : null
    if (form === null) continue
    const isDraft = form[1] !== undefined
    const file = join(folder, name)
    if (isDraft || now - statSync(file).mtimeMs >= olderThanMs) rmSync(file, { force: true })
  }
}

/** At a start: nobody went back to the version before for so long. */
export const removeOldBackups = (path: string): void => removeBackups(path, limits.backupMs)

import {
  closeSync,
  fdatasyncSync,
  fsyncSync,
  ftruncateSync,
  lstatSync,
  openSync,
  readdirSync,
  rmSync,
  unlinkSync,
  writeSync,
} from "node:fs"
import { join } from "node:path"
import type { Change } from "./live-database.ts"
import { encodeRecord } from "./redo-record.ts"

const NAME = "sandbox-agent.redo"
const REFUSED = `${NAME}.refused-`

export const redoPath = (directory: string): string => join(directory, NAME)

/** Where one goes that a start could not use. */
export const refusedPath = (directory: string, now: Date): string =>
  join(directory, `${REFUSED}${now.toISOString().replaceAll(":", "-")}`)

/** They may have what was deleted since. */
export function removeRefused(directory: string): void {
  for (const name of readdirSync(directory))
    if (name.startsWith(REFUSED)) rmSync(join(directory, name), { force: true })
}

/**
 * The file that makes a commit durable with one write. What it has goes into the database a moment later, many commits in
 * one transaction; then it is written anew from its beginning. A start after a kill takes from it what is missing there.
 */
export class Redo {
  readonly #fd: number
  #end = 0

  constructor(
    private readonly directory: string,
    /** Of the last record; each has the next one. */
    public number: number,
    private readonly fsync: boolean,
  ) {
    const path = redoPath(directory)
    // A new one: it holds secrets as the database does, and what is there may be readable by others.
    if (lstatSync(path, { throwIfNoEntry: false }) !== undefined) unlinkSync(path)
    this.#fd = openSync(path, "wx", 0o600)
    if (fsync) syncFolder(directory)
  }

  /** Bytes of records that the database does not have yet. */
  get size(): number {
    return this.#end
  }

  append(changes: readonly Change[]): void {
    // Taken also by one that fails: nobody knows what of it is on disk.
    const record = encodeRecord(++this.number, changes)
    for (let at = 0; at < record.length; ) at += writeSync(this.#fd, record, at, record.length - at, this.#end + at)
    if (this.fsync) fdatasyncSync(this.#fd)
    this.#end += record.length
  }

  /** The database has all of it. */
  done(): void {
    this.#end = 0
  }

  /** What was deleted may still stand in it. */
  scrub(): void {
    ftruncateSync(this.#fd, this.#end)
  }

  /** One that the database lacks something of is left for the next start. */
  close(): void {
    closeSync(this.#fd)
    if (this.#end === 0) rmSync(redoPath(this.directory), { force: true })
  }
}

/** Else a power loss takes the name of a new file, and with it what the file has. */
function syncFolder(directory: string): void {
  const folder = openSync(directory, "r")
  try {
    fsyncSync(folder)
  } finally {
    closeSync(folder)
  }
}

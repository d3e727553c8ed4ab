import { closeSync, copyFileSync, existsSync, openSync, readSync, rmSync, statSync, truncateSync } from "node:fs"

const HEADER = 100

/** The size that a database says it has; undefined where the file does not even say that. */
function saidSize(path: string): number | undefined {
  const header = Buffer.alloc(HEADER)
  const file = openSync(path, "r")
  try {
    if (readSync(file, header, 0, HEADER, 0) < HEADER || !header.toString("latin1").startsWith("SQLite format 3"))
      return undefined
  } finally {
    closeSync(file)
  }
  const page = header.readUInt16BE(16)
  return (page === 1 ? 65_536 : page) * header.readUInt32BE(28)
}

/**
 * SQLite reads nothing of a file that is shorter than it says. A copy as long as it should be is read up to where the
 * rest is missing. Gives the file to read from, and how to be done with it.
 */
export function readableFile(path: string): { readable: string; done: () => void } {
  const size = saidSize(path)
  const isShort = size !== undefined && statSync(path).size < size && !existsSync(`${path}-wal`)
  if (!isShort) return { readable: path, done: () => {} }
  const copy = `${path}.whole`
  const done = () => {
    for (const suffix of ["", "-wal", "-shm"]) rmSync(`${copy}${suffix}`, { force: true })
  }
  done()
  closeSync(openSync(copy, "wx", 0o600))
  copyFileSync(path, copy)
  truncateSync(copy, size)
  return { readable: copy, done }
}

import { closeSync, constants, fstatSync, openSync, readSync, statSync } from "node:fs"
import { notRegular, tooLarge } from "./regular-file.ts"

/**
 * The text of a small file, at once: for the few that are read where nobody can wait. It never waits for what is in the
 * place of the file, a pipe above all. Throws as the system does when it cannot be opened.
 */
export function readRegularNow(path: string, limit: number): string {
  // Opening a device can do something by itself; this look is only to spare it that.
  if (!statSync(path).isFile()) throw notRegular(path)
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY)
  try {
    if (!fstatSync(file).isFile()) throw notRegular(path)
    const pieces: Buffer[] = []
    for (let length = 0; ; ) {
      const piece = Buffer.allocUnsafe(64 * 1024)
      const count = readSync(file, piece)
      if (count === 0) return Buffer.concat(pieces).toString("utf8")
      length += count
      if (length > limit) throw tooLarge(path, limit)
      pieces.push(piece.subarray(0, count))
    }
  } finally {
    closeSync(file)
  }
}

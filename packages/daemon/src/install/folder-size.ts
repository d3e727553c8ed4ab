import type { Dirent } from "node:fs"
import { lstat, readdir } from "node:fs/promises"
import { join } from "node:path"

/** Bytes of the files in a folder, each once also where it has several names. What goes meanwhile does not count. */
export async function folderSize(folder: string, seen = new Set<number>()): Promise<number> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((): Dirent[] => [])
  const sizes = await Promise.all(
    entries.map(async (entry) => {
      const path = join(folder, entry.name)
      if (entry.isDirectory()) return folderSize(path, seen)
      const found = await lstat(path).catch(() => undefined)
      if (found === undefined || (found.nlink > 1 && seen.has(found.ino))) return 0
      seen.add(found.ino)
      return found.size
    }),
  )
  return sizes.reduce((sum, size) => sum + size, 0)
}

/** Reports how a folder grows until it is stopped: the package manager does not report its progress. */
export function watchGrowth(folder: string, everyMs: number, onBytes: (bytes: number) => void): () => Promise<void> {
  let last = 0
  let over = false
  let timer: ReturnType<typeof setTimeout> | undefined
  const look = async (): Promise<void> => {
    const bytes = await folderSize(folder)
    // What is moved may be missed for a moment.
    if (bytes > last) {
      last = bytes
      onBytes(bytes)
    }
  }
  let looking = Promise.resolve()
  const again = (): void => {
    // After each look, so that a large folder is not looked at all the time.
    looking = look().then(() => {
      if (!over) timer = setTimeout(again, everyMs)
    })
  }
  again()
  return async () => {
    over = true
    clearTimeout(timer)
    await looking
    await look()
  }
}

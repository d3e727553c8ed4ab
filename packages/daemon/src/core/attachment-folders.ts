import { readdirSync } from "node:fs"
import { rm } from "node:fs/promises"
import { join } from "node:path"
import { isAlive } from "./alive.ts"

/** Where a daemon keeps files of a kind. Daemons in memory take no lock and share a data directory: each has a folder of its own. */
export const storeFolder = (directory: string, kind: string, store: "sqlite" | "memory"): string =>
  join(directory, kind, ...(store === "memory" ? [`memory-${process.pid}`] : []))

export const attachmentRoot = (directory: string, store: "sqlite" | "memory"): string =>
  storeFolder(directory, "attachments", store)

/** Folders below `root` that belong to no session, or to a daemon in memory that is gone: left by a kill. */
export function strayFolders(root: string, isKnown: (uid: number) => boolean): string[] {
  let names: string[]
  try {
    names = readdirSync(root)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return []
    throw error
  }
  return names
    .filter((name) => {
      const pid = /^memory-(\d+)$/.exec(name)?.[1]
      if (pid !== undefined) return !isAlive(Number(pid))
      return /^\d+$/.test(name) && !isKnown(Number(name))
    })
    .map((name) => join(root, name))
}

export async function removeFolders(folders: readonly string[]): Promise<void> {
  for (const folder of folders) await rm(folder, { recursive: true, force: true })
}

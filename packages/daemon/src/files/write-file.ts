import { constants } from "node:fs"
import { type FileHandle, mkdir, open, readlink } from "node:fs/promises"
import { basename, dirname, resolve } from "node:path"
import type { Confinement } from "./confinement.ts"
import { inside, pathOfOpened } from "./opened-path.ts"
import { assertRegular, missing, notRegular } from "./regular-file.ts"

const FOLDER = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NONBLOCK
const FILE = constants.O_WRONLY | constants.O_CREAT | constants.O_NOFOLLOW | constants.O_NONBLOCK
/** Links from one name to the next, as many as the system itself follows. */
const LINKS = 40

/** Writes a file that somebody else named, with the folders it needs. Nothing is made or emptied outside what is allowed. */
export async function writeRegular(path: string, content: string | Uint8Array, allowed: Confinement): Promise<void> {
  const handle = await openForWriting(path, allowed, LINKS)
  try {
    await assertRegular(handle, path, allowed)
    await handle.truncate(0)
    await handle.writeFile(content)
  } finally {
    await handle.close()
  }
}

/** Through the open folder it is in: a link that is put in the folder's place meanwhile leads nowhere. */
async function openForWriting(path: string, allowed: Confinement, links: number): Promise<FileHandle> {
  const folder = await openFolder(dirname(path), allowed)
  try {
    const there = inside(folder, dirname(path), basename(path))
    return await open(there, FILE, 0o644).catch(async (error: unknown) => {
      const code = error instanceof Error && "code" in error ? error.code : undefined
      if (code === "ENXIO" || code === "EISDIR") throw notRegular(path) // a pipe nobody reads, or a folder
      if (code !== "ELOOP" || links === 0) return missing(path, error)
      return openForWriting(resolve(dirname(path), await readlink(there)), allowed, links - 1)
    })
  } finally {
    await folder.close()
  }
}

/** Makes the folders that are missing, one inside the other. */
async function openFolder(path: string, allowed: Confinement): Promise<FileHandle> {
  const found = await open(path, FOLDER).catch((error: unknown) => {
    if (error instanceof Error && "code" in error && error.code === "ENOENT" && dirname(path) !== path) return undefined
    return missing(path, error)
  })
  const folder = found ?? (await makeFolder(path, allowed))
  try {
    allowed.assert(await pathOfOpened(folder, path), path)
    return folder
  } catch (error) {
    await folder.close()
    throw error
  }
}

async function makeFolder(path: string, allowed: Confinement): Promise<FileHandle> {
  const parent = await openFolder(dirname(path), allowed)
  try {
    const there = inside(parent, dirname(path), basename(path))
    await mkdir(there).catch((error: unknown) => {
      // Somebody else was faster: what is there is looked at like anything else.
      if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) return missing(path, error)
    })
    return await open(there, FOLDER | constants.O_NOFOLLOW).catch((error: unknown) => missing(path, error))
  } finally {
    await parent.close()
  }
}

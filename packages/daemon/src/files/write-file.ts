import { constants } from "node:fs"
import { type FileHandle, mkdir, open, readlink } from "node:fs/promises"
import { basename, dirname, resolve } from "node:path"
import type { Confinement } from "./confinement.ts"
import { inside, pathOfOpened } from "./opened-path.ts"
import { assertMayMake, assertReach } from "./reach.ts"
import { assertRegular, missing, notRegular } from "./regular-file.ts"

const FOLDER = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NONBLOCK
const FILE = constants.O_WRONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK
const NEW = FILE | constants.O_CREAT | constants.O_EXCL
/** Links from one name to the next, as many as the system itself follows. */
const LINKS = 40

/** Writes a file that somebody else named, with the folders it needs. Nothing is made or emptied outside what is allowed. */
export async function writeRegular(path: string, content: string | Uint8Array, allowed: Confinement): Promise<void> {
  const handle = await openForWriting(path, allowed, LINKS)
  try {
    await assertRegular(handle, path, allowed)
    await assertReach(allowed.reader, handle, await pathOfOpened(handle, path), "write")
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
    return await open(there, FILE).catch(async (error: unknown) => {
      const code = codeOf(error)
      if (code === "ENXIO" || code === "EISDIR") throw notRegular(path) // a pipe nobody reads, or a folder
      if (code === "ENOENT") return makeFile(there, folder, path, allowed, links)
      if (code !== "ELOOP" || links === 0) return missing(path, error)
      return openForWriting(resolve(dirname(path), await readlink(there)), allowed, links - 1)
    })
  } finally {
    await folder.close()
  }
}

/** A new file belongs to whom it is made for. */
async function makeFile(
  there: string,
  folder: FileHandle,
  path: string,
  allowed: Confinement,
  links: number,
): Promise<FileHandle> {
  const { reader } = allowed
  if (reader !== undefined) await assertMayMake(reader, folder, path)
  const made = await open(there, NEW, 0o644).catch((error: unknown) => {
    if (codeOf(error) === "EEXIST" && links > 0) return undefined
    return missing(path, error)
  })
  // Somebody else was faster: what is there is looked at like anything else.
  if (made === undefined) return openForWriting(path, allowed, links - 1)
  if (reader !== undefined) await made.chown(reader.uid, reader.gid)
  return made
}

const codeOf = (error: unknown): unknown => (error instanceof Error && "code" in error ? error.code : undefined)

/** Makes the folders that are missing, one inside the other. */
async function openFolder(path: string, allowed: Confinement): Promise<FileHandle> {
  const found = await open(path, FOLDER).catch((error: unknown) => {
    if (codeOf(error) === "ENOENT" && dirname(path) !== path) return undefined
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
    const { reader } = allowed
    if (reader !== undefined) await assertMayMake(reader, parent, path)
    const isNew = await mkdir(there).then(
      () => true,
      (error: unknown) => (codeOf(error) === "EEXIST" ? false : missing(path, error)),
    )
    const made = await open(there, FOLDER | constants.O_NOFOLLOW).catch((error: unknown) => missing(path, error))
    if (isNew && reader !== undefined) await made.chown(reader.uid, reader.gid)
    return made
  } finally {
    await parent.close()
  }
}

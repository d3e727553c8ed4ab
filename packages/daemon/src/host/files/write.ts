import { type BigIntStats, constants } from "node:fs"
import { type FileHandle, link, open, rename, unlink } from "node:fs/promises"
import { posix } from "node:path"
import { SandboxAgentError } from "@sandbox-agent/schema/error"
import { type BytePath, toText } from "./byte-path.ts"
import type { Draft } from "./drafts.ts"
import { etagOf } from "./entry.ts"
import type { Files } from "./files.ts"
import { lookAt, type Made, Place, placeBehind } from "./place.ts"
import type { Precondition } from "./precondition.ts"
import { codeOf, on } from "./system-error.ts"

export interface Writing {
  mode?: number | undefined
  parents: boolean
  fsync: boolean
  precondition: Precondition
  /** It must not be there: nobody who makes one at the same moment is overwritten. */
  exclusive: boolean
}

export interface Written {
  path: BytePath
  bytes: number
  created: boolean
  etag: string
}

const NEW = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW

/** The file as it was or as it is to be, and nothing between: written beside its place and put there when it is whole. */
export async function writeFile(
  files: Files,
  path: BytePath,
  content: AsyncIterable<Uint8Array>,
  writing: Writing,
): Promise<Written> {
  const made = files.made()
  try {
    await using place = await placeFor(files, made, path, writing)
    writing.precondition(etagAt(await lookAt(place), path), path)
    const draft = await files.drafts.begin(place.folder.path)
    try {
      return await writeDraft(files, place, draft, content, writing)
    } catch (error) {
      const code = await unlink(place.folder.at(draft.name)).then(() => undefined, codeOf)
      if (code !== undefined && code !== "ENOENT") await on(place.path, unlink(place.folder.at(draft.name)))
      throw error
    } finally {
      await draft.end()
    }
  } catch (error) {
    await made.undo()
    throw error
  }
}

/** The folder is made only once it is known that the file may be written. */
async function placeFor(files: Files, made: Made, path: BytePath, writing: Writing): Promise<Place> {
  try {
    return await placeBehind(files.fence, path)
  } catch (error) {
    if (!writing.parents || !SandboxAgentError.is(error) || error.code !== "not_found") throw error
  }
  writing.precondition(undefined, path)
  return new Place(await made.folder(posix.dirname(path)), posix.basename(path))
}

function etagAt(found: BigIntStats | undefined, path: BytePath): string | undefined {
  if (found === undefined) return undefined
  if (!found.isFile())
    throw new SandboxAgentError(
      "conflict",
      `${toText(path)} is ${found.isDirectory() ? "a folder" : "no regular file"}`,
    )
  return etagOf(found)
}

async function writeDraft(
  files: Files,
  place: Place,
  draft: Draft,
  content: AsyncIterable<Uint8Array>,
  writing: Writing,
): Promise<Written> {
  const { folder } = place
  const there = folder.at(draft.name)
  const handle = await on(place.path, open(there, NEW, 0o666))
  try {
    const bytes = await on(place.path, writeAll(handle, content))
    return await files.locks.hold(`${folder.path}/${place.name}`, async () => {
      const old = await lookAt(place)
      writing.precondition(etagAt(old, place.path), place.path)
      await on(place.path, dress(handle, old, files, writing.mode))
      if (writing.fsync) await on(place.path, handle.sync())
      if (writing.exclusive) await takePlace(place, there)
      else await on(place.path, rename(there, place.there))
      if (writing.fsync) await on(place.path, syncFolder(place))
      const etag = etagOf(await handle.stat({ bigint: true }))
      return { path: place.path, bytes, created: old === undefined, etag }
    })
  } finally {
    await handle.close()
  }
}

/** A link takes no place that is taken, whoever was faster. */
async function takePlace(place: Place, draft: Buffer): Promise<void> {
  await link(draft, place.there).catch((error: unknown) => {
    if (codeOf(error) !== "EEXIST") return on(place.path, Promise.reject(error))
    throw new SandboxAgentError("precondition_failed", `${toText(place.path)} exists already`)
  })
  await on(place.path, unlink(draft))
}

async function writeAll(handle: FileHandle, content: AsyncIterable<Uint8Array>): Promise<number> {
  let bytes = 0
  for await (const chunk of content) {
    for (let at = 0; at < chunk.length; ) at += (await handle.write(chunk, at, chunk.length - at)).bytesWritten
    bytes += chunk.length
    giveBack(chunk)
  }
  return bytes
}

/** At once and not when the collector comes: a fast upload would be most of what the daemon holds. */
export function giveBack({ buffer }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer) buffer.transfer(0)
}

/** Rights and owner of the one before; of a new one those that were asked for. */
async function dress(handle: FileHandle, old: BigIntStats | undefined, { owner }: Files, mode: number | undefined) {
  const now = await handle.stat()
  const uid = old === undefined ? (owner?.uid ?? now.uid) : Number(old.uid)
  const gid = old === undefined ? (owner?.gid ?? now.gid) : Number(old.gid)
  if (uid !== now.uid || gid !== now.gid)
    await handle.chown(uid, gid).catch((error: unknown) => {
      // Whoever is not root may replace a file of somebody else, and then it is his.
      if (codeOf(error) !== "EPERM") throw error
    })
  const bits = mode ?? (old === undefined ? undefined : Number(old.mode) & 0o7777)
  if (bits !== undefined && bits !== (now.mode & 0o7777)) await handle.chmod(bits)
}

async function syncFolder({ folder }: Place): Promise<void> {
  const handle = await open(folder.self, constants.O_RDONLY | constants.O_DIRECTORY)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

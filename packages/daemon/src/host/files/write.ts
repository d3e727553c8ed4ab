import { type BigIntStats, constants } from "node:fs"
import { type FileHandle, link, open, rename, unlink } from "node:fs/promises"
import { posix } from "node:path"
import { SandboxAgentError } from "@sandbox-agent/schema/error"
import { writeAll } from "../../files/write-all.ts"
import { type BytePath, toText } from "./byte-path.ts"
import type { Draft } from "./drafts.ts"
import { etagOf } from "./entry.ts"
import { EntryHandle, followLinks, type Made, statEntry } from "./entry-handle.ts"
import type { Files } from "./files.ts"
import { assertStill, atPlaces, placeOf } from "./place.ts"
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
    const places = async () => [await placeOf(files.fence, path)]
    await using entry = await atPlaces(files, places, () => targetFor(files, made, path, writing))
    writing.precondition(etagAt(await statEntry(entry), path), path)
    const draft = await files.drafts.begin(entry.folder.path)
    try {
      const written = await writeDraft(files, entry, draft, content, writing)
      await draft.end()
      return written
    } catch (error) {
      const code = await unlink(entry.folder.at(draft.name)).then(() => undefined, codeOf)
      // What cannot be removed now the next daemon removes.
      if (code === undefined || code === "ENOENT") await draft.end()
      throw error
    }
  } catch (error) {
    await made.undo()
    throw error
  }
}

/** The folder is made only once it is known that the file may be written. */
async function targetFor(files: Files, made: Made, path: BytePath, writing: Writing): Promise<EntryHandle> {
  try {
    return await followLinks(files.fence, path)
  } catch (error) {
    if (!writing.parents || !SandboxAgentError.is(error) || error.code !== "not_found") throw error
  }
  writing.precondition(undefined, path)
  return new EntryHandle(await made.folder(posix.dirname(path)), posix.basename(path))
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
  entry: EntryHandle,
  draft: Draft,
  content: AsyncIterable<Uint8Array>,
  writing: Writing,
): Promise<Written> {
  const { folder } = entry
  const there = folder.at(draft.name)
  const handle = await on(entry.path, open(there, NEW, 0o666))
  try {
    const bytes = await on(entry.path, writeContent(handle, content))
    return await files.locks.hold([{ path: entry.path }], async () => {
      await assertStill(folder, entry.path)
      const old = await statEntry(entry)
      writing.precondition(etagAt(old, entry.path), entry.path)
      await on(entry.path, restoreOwnerAndMode(handle, old, files, writing.mode))
      if (writing.fsync) await on(entry.path, handle.sync())
      if (writing.exclusive) await replaceWithDraft(entry, there)
      else await on(entry.path, rename(there, entry.there))
      if (writing.fsync) await on(entry.path, syncFolder(entry))
      const etag = etagOf(await handle.stat({ bigint: true }))
      return { path: entry.path, bytes, created: old === undefined, etag }
    })
  } finally {
    await handle.close()
  }
}

/** A link takes no place that is taken, whoever was faster. */
async function replaceWithDraft(entry: EntryHandle, draft: Buffer): Promise<void> {
  await link(draft, entry.there).catch((error: unknown) => {
    if (codeOf(error) !== "EEXIST") return on(entry.path, Promise.reject(error))
    throw new SandboxAgentError("precondition_failed", `${toText(entry.path)} exists already`)
  })
  await on(entry.path, unlink(draft))
}

async function writeContent(handle: FileHandle, content: AsyncIterable<Uint8Array>): Promise<number> {
  let bytes = 0
  for await (const chunk of content) {
    await writeAll(handle, chunk)
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
async function restoreOwnerAndMode(
  handle: FileHandle,
  old: BigIntStats | undefined,
  { owner }: Files,
  mode: number | undefined,
) {
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

async function syncFolder({ folder }: EntryHandle): Promise<void> {
  const handle = await open(folder.self, constants.O_RDONLY | constants.O_DIRECTORY)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

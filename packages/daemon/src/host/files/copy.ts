import { constants } from "node:fs"
import { copyFile, open, readlink, rename, symlink } from "node:fs/promises"
import { posix } from "node:path"
import { SandboxAgentError } from "@sandbox-agent/schema/error"
import { isWithin } from "../../files/confinement.ts"
import { type BytePath, toText } from "./byte-path.ts"
import { deleteFolder } from "./delete.ts"
import { EntryHandle, followLinks, type Made, statEntry } from "./entry-handle.ts"
import type { Files } from "./files.ts"
import { type Opened, openIn } from "./opened.ts"
import { atPlaces, placeOf, sourceOf } from "./place.ts"
import { Skipped } from "./skipped.ts"
import { on } from "./system-error.ts"
import { assertDepth, enter, namesIn } from "./tree.ts"

export interface Copied {
  files: number
  bytes: number
  skipped: Skipped
}

interface Asked {
  overwrite: boolean
  recursive: boolean
}

export function copyEntry(files: Files, from: BytePath, to: BytePath, asked: Asked): Promise<Copied> {
  const places = async () => [await sourceOf(files.fence, from), await placeOf(files.fence, to)]
  return atPlaces(files, places, () => copyNow(files, from, to, asked))
}

async function copyNow(files: Files, from: BytePath, to: BytePath, { overwrite, recursive }: Asked): Promise<Copied> {
  await using source = await followLinks(files.fence, from)
  const made = files.made()
  try {
    await using target = new EntryHandle(await made.folder(posix.dirname(to)), posix.basename(to))
    files.fence.assert(target.path, to)
    const there = await statEntry(target)
    if (there !== undefined && (!overwrite || there.isDirectory()))
      throw new SandboxAgentError("conflict", `${toText(to)} ${there.isDirectory() ? "is a folder" : "exists already"}`)
    return await copyInto(files, source, target, { recursive, special: "skip" })
  } catch (error) {
    await made.undo()
    throw error
  }
}

interface Copying {
  recursive: boolean
  /** Pipes, sockets and devices: named and left out, or a failure. */
  special: "skip" | "refuse"
}

/** A new folder is whole when it appears, as a file is. */
export async function copyInto(
  files: Files,
  source: EntryHandle,
  target: EntryHandle,
  copying: Copying,
): Promise<Copied> {
  const copied: Copied = { files: 0, bytes: 0, skipped: new Skipped() }
  const found = await statEntry(source)
  if (found === undefined) throw new SandboxAgentError("not_found", `${toText(source.path)} does not exist`)
  if (found.isDirectory() && !copying.recursive)
    throw new SandboxAgentError("conflict", `${toText(source.path)} is a folder`, {
      hint: "Say `recursive` to copy it.",
    })
  if (found.isDirectory() && isWithin(source.path, target.path))
    throw new SandboxAgentError("invalid_request", `${toText(target.path)} is inside ${toText(source.path)}`)
  const draft = await files.drafts.begin(target.folder.path)
  const made = files.made()
  try {
    await copyOne(files, made, source.folder, source.name, target.folder, draft.name, copying, copied, 0)
    if (copied.skipped.count > 0 && !found.isDirectory())
      throw new SandboxAgentError("invalid_request", `${toText(source.path)} is no file, folder or link`)
    await on(target.path, rename(target.folder.at(draft.name), target.there))
    await draft.end()
    return copied
  } catch (error) {
    // What cannot be removed now the next daemon removes.
    await deleteFolder(files.fence, target.folder, draft.name).then(
      () => draft.end(),
      () => undefined,
    )
    throw error
  }
}

async function copyOne(
  files: Files,
  made: Made,
  from: Opened,
  name: BytePath,
  to: Opened,
  as: BytePath,
  copying: Copying,
  copied: Copied,
  depth: number,
): Promise<void> {
  assertDepth(depth, from.pathOf(name))
  const path = from.pathOf(name)
  await using source = await openIn(files.fence, from, name)
  const stats = await source.handle.stat()
  const owner = files.owner
  if (stats.isSymbolicLink()) {
    await on(path, symlink(await readlink(from.at(name), { encoding: "buffer" }), to.at(as)))
  } else if (stats.isDirectory()) {
    await using inside = await made.inside(to, as, stats.mode & 0o7777)
    const opened = await enter(files.fence, from, name)
    if (opened === undefined) return
    await using folder = opened
    for (const one of await namesIn(folder))
      if (files.fence.allows(folder.pathOf(one)))
        await copyOne(files, made, folder, one, inside, one, copying, copied, depth + 1)
  } else if (stats.isFile()) {
    await on(path, copyFile(source.self, to.at(as), constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE))
    const handle = await on(path, open(to.at(as), constants.O_RDONLY | constants.O_NOFOLLOW))
    try {
      if (owner !== undefined) await handle.chown(owner.uid, owner.gid)
      await handle.chmod(stats.mode & 0o7777)
      await handle.utimes(stats.atime, stats.mtime)
    } finally {
      await handle.close()
    }
    copied.files++
    copied.bytes += stats.size
  } else if (copying.special === "skip") copied.skipped.add(path, "is a pipe, a socket or a device")
  else throw new SandboxAgentError("invalid_request", `${toText(path)} is a pipe, a socket or a device`)
}

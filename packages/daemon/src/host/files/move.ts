import { link, rename, unlink } from "node:fs/promises"
import { posix } from "node:path"
import { SandboxAgentError } from "@sandbox-agent/schema/error"
import { type BytePath, toText } from "./byte-path.ts"
import { copyInto } from "./copy.ts"
import { deleteFolder } from "./delete.ts"
import { draftName } from "./draft-name.ts"
import { EntryHandle, entryHandleOf, statEntry } from "./entry-handle.ts"
import type { Files } from "./files.ts"
import { atPlaces, placeOf } from "./place.ts"
import { codeOf, on } from "./system-error.ts"

/** A new name for a file, a link or a folder, in one step where both are on the same file system. */
export function moveEntry(files: Files, from: BytePath, to: BytePath, overwrite: boolean): Promise<void> {
  const places = async () => [await placeOf(files.fence, from), await placeOf(files.fence, to)]
  return atPlaces(files, places, () => moveNow(files, from, to, overwrite))
}

async function moveNow(files: Files, from: BytePath, to: BytePath, overwrite: boolean): Promise<void> {
  const { fence } = files
  await using source = await entryHandleOf(fence, from)
  const found = await statEntry(source)
  if (found === undefined) throw new SandboxAgentError("not_found", `${toText(from)} does not exist`)
  fence.assertMovable(source.path, from)
  const made = files.made()
  try {
    await using target = new EntryHandle(await made.folder(posix.dirname(to)), posix.basename(to))
    fence.assert(target.path, to)
    const there = await statEntry(target)
    if (there !== undefined && there.ino === found.ino && there.dev === found.dev && source.path === target.path) return
    if (there !== undefined && !overwrite) throw taken(to)
    if (there?.isDirectory()) await replaceFolder(files, source, target, to)
    else await moveTo(files, source, target, found.isDirectory() || overwrite)
  } catch (error) {
    await made.undo()
    throw error
  }
}

const taken = (to: BytePath) =>
  new SandboxAgentError("conflict", `${toText(to)} exists already`, { hint: "Say `overwrite` to replace it." })

/** `replacing`: a name that appears in this moment may be replaced. A link cannot be made of a folder. */
async function moveTo(files: Files, source: EntryHandle, target: EntryHandle, replacing: boolean): Promise<void> {
  const step = replacing
    ? rename(source.there, target.there)
    : link(source.there, target.there).then(() => unlink(source.there))
  await step.catch(async (error: unknown) => {
    const code = codeOf(error)
    if (code === "EXDEV") return moveAcross(files, source, target)
    // Some file systems have no links.
    if (!replacing && (code === "EPERM" || code === "EOPNOTSUPP")) return moveTo(files, source, target, true)
    return on(target.path, Promise.reject(error))
  })
}

/** From one file system to another: copied, then removed where it was. */
async function moveAcross(files: Files, source: EntryHandle, target: EntryHandle): Promise<void> {
  await copyInto(files, source, target, { recursive: true, special: "refuse" })
  const isFolder = (await statEntry(source))?.isDirectory()
  if (isFolder) await deleteFolder(files.fence, source.folder, source.name)
  else await on(source.path, unlink(source.there))
}

/** The folder that is there steps aside, and comes back when the other cannot take its place. It is never lost: until then
 * it has no name of a draft, so it is shown, and no next daemon would remove it. */
async function replaceFolder(files: Files, source: EntryHandle, target: EntryHandle, to: BytePath): Promise<void> {
  files.fence.assertMovable(target.path, to)
  const { folder } = target
  const name = `${draftName()}-replaced`
  await on(to, rename(target.there, folder.at(name)))
  try {
    await moveTo(files, source, target, true)
  } catch (error) {
    await on(to, rename(folder.at(name), target.there))
    throw error
  }
  const draft = await files.drafts.begin(folder.path)
  await on(to, rename(folder.at(name), folder.at(draft.name)))
  await deleteFolder(files.fence, folder, draft.name)
  await draft.end()
}

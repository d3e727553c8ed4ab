import { rmdir, unlink } from "node:fs/promises"
import { SandboxAgentError } from "@sandbox-agent/schema/error"
import { type BytePath, toText } from "./byte-path.ts"
import { entryHandleOf, statEntry } from "./entry-handle.ts"
import type { Fence } from "./fence.ts"
import type { Files } from "./files.ts"
import type { Opened } from "./opened.ts"
import { atPlaces, placeOf } from "./place.ts"
import { codeOf, on } from "./system-error.ts"
import { allNamesIn, assertDepth, enter } from "./tree.ts"

/** Removes a file, a link or an empty folder; a folder with all that is in it only when that was said. */
export function deleteEntry(files: Files, path: BytePath, recursive: boolean): Promise<void> {
  const places = async () => [await placeOf(files.fence, path)]
  return atPlaces(files, places, () => deleteNow(files.fence, path, recursive))
}

async function deleteNow(fence: Fence, path: BytePath, recursive: boolean): Promise<void> {
  await using handle = await entryHandleOf(fence, path)
  const found = await statEntry(handle)
  if (found === undefined) throw new SandboxAgentError("not_found", `${toText(path)} does not exist`)
  fence.assertMovable(handle.path, path)
  if (!found.isDirectory()) await on(path, unlink(handle.there))
  else if (recursive) await deleteFolder(fence, handle.folder, handle.name)
  else
    await rmdir(handle.there).catch((error: unknown) => {
      if (codeOf(error) !== "ENOTEMPTY" && codeOf(error) !== "EEXIST") return on(path, Promise.reject(error))
      throw new SandboxAgentError("conflict", `${toText(path)} is a folder that is not empty`, {
        hint: "Say `recursive` to remove it with everything in it.",
      })
    })
}

/** By open folders, so that a link in the place of one leads nowhere. What others put in meanwhile goes, too. */
export async function deleteFolder(fence: Fence, parent: Opened, name: BytePath, depth = 0): Promise<void> {
  assertDepth(depth, parent.pathOf(name))
  for (;;) {
    await emptyFolder(fence, parent, name, depth)
    const code = await rmdir(parent.at(name)).then(() => undefined, codeOf)
    if (code === undefined || code === "ENOENT") return
    if (code === "ENOTDIR") return on(parent.pathOf(name), unlink(parent.at(name)))
    if (code !== "ENOTEMPTY" && code !== "EEXIST") await on(parent.pathOf(name), rmdir(parent.at(name)))
  }
}

async function emptyFolder(fence: Fence, parent: Opened, name: BytePath, depth: number): Promise<void> {
  const opened = await enter(fence, parent, name)
  if (opened === undefined) return
  await using folder = opened
  for (const inside of await allNamesIn(folder)) {
    const code = await unlink(folder.at(inside)).then(() => undefined, codeOf)
    if (code === undefined || code === "ENOENT") continue
    // Linux says the one of a folder, POSIX and others the other.
    if (code === "EISDIR" || code === "EPERM") await deleteFolder(fence, folder, inside, depth + 1)
    else await on(folder.pathOf(inside), unlink(folder.at(inside)))
  }
}

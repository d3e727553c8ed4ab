import { posix } from "node:path"
import type { BytePath } from "./byte-path.ts"
import type { Files } from "./files.ts"
import { FOLDER, openPath } from "./opened.ts"
import { atPlaces, placeOfFolder } from "./place.ts"

/** Makes a folder, unless there is one; with those in front of it when they may be made, too. */
export function makeFolder(files: Files, path: BytePath, parents: boolean, mode: number | undefined): Promise<void> {
  const places = async () => [await placeOfFolder(files.fence, path)]
  return atPlaces(files, places, () => makeNow(files, path, parents, mode))
}

async function makeNow(files: Files, path: BytePath, parents: boolean, mode: number | undefined): Promise<void> {
  const made = files.made()
  try {
    if (!parents) await (await openPath(files.fence, posix.dirname(path), FOLDER)).close()
    const folder = await made.folder(path, mode)
    await folder.close()
  } catch (error) {
    await made.undo()
    throw error
  }
}

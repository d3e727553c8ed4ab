import { chmod } from "node:fs/promises"
import type { BytePath } from "./byte-path.ts"
import type { Fence } from "./fence.ts"
import { type Opened, openIn, openPath } from "./opened.ts"
import { on } from "./system-error.ts"
import { assertDepth, namesIn } from "./tree.ts"

/** Links are followed to what was named, and left alone inside a folder. */
export async function changeMode(fence: Fence, path: BytePath, mode: number, recursive: boolean): Promise<void> {
  await using found = await openPath(fence, path)
  await changeOpened(fence, found, mode, recursive, 0)
}

async function changeOpened(fence: Fence, at: Opened, mode: number, recursive: boolean, depth: number): Promise<void> {
  assertDepth(depth, at.path)
  // What is inside first: the new mode may close the folder to us.
  if (recursive && (await at.handle.stat()).isDirectory())
    for (const name of await namesIn(at)) {
      if (!fence.allows(at.pathOf(name))) continue
      await using inside = await openIn(fence, at, name)
      if (!(await inside.handle.stat()).isSymbolicLink()) await changeOpened(fence, inside, mode, recursive, depth + 1)
    }
  await on(at.path, chmod(at.self, mode))
}

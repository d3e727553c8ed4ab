import { posix } from "node:path"
import { SandboxAgentError } from "@sandbox-agent/schema/error"
import { type BytePath, toText } from "./byte-path.ts"
import { followLinks } from "./entry-handle.ts"
import type { Fence } from "./fence.ts"
import type { Files } from "./files.ts"
import type { Place } from "./lock.ts"
import { type Opened, openNearest } from "./opened.ts"

/** Where an entry really is or would be, a link by its own name not followed. */
export async function placeOf(fence: Fence, path: BytePath): Promise<Place> {
  const folder = await placeOfFolder(fence, posix.dirname(path), path)
  return { path: posix.join(folder.path, posix.basename(path)) }
}

/** Where a folder really is or would be, links followed. */
export async function placeOfFolder(fence: Fence, path: BytePath, named = path): Promise<Place> {
  const names: BytePath[] = []
  for (let at = path; ; at = posix.dirname(at)) {
    const folder = await openNearest(fence, at, named)
    if (folder !== undefined) {
      await folder.close()
      return { path: posix.join(folder.path, ...names.reverse()) }
    }
    names.push(posix.basename(at))
  }
}

/** What a path leads to in the end, and only to be read. */
export async function sourceOf(fence: Fence, path: BytePath): Promise<Place> {
  await using entry = await followLinks(fence, path)
  return { path: entry.path, shared: true }
}

/** Does its work while nobody else changes these places. While it waits others may move what they are in. */
export async function atPlaces<T>(files: Files, find: () => Promise<Place[]>, work: () => Promise<T>): Promise<T> {
  for (;;) {
    const places = await find()
    const done = await files.locks.hold(places, async () => {
      const now = await find()
      return places.every(({ path }, n) => path === now[n]?.path) ? { value: await work() } : undefined
    })
    if (done !== undefined) return done.value
  }
}

/** What was begun in a folder is not to appear where that was moved to meanwhile. */
export async function assertStill(folder: Opened, path: BytePath): Promise<void> {
  if (await folder.isStill()) return
  throw new SandboxAgentError("conflict", `the folder of ${toText(path)} was moved or removed meanwhile`)
}

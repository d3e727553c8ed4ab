import { chmodSync, copyFileSync, linkSync, rmSync } from "node:fs"
import { basename, join } from "node:path"
import { onTestFinished } from "vitest"
import { scratch } from "../harness/daemon.ts"

/** A folder that everybody can pass through. */
export function openFolder(): string {
  const folder = scratch()
  chmodSync(folder, 0o755)
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** The program where another user can run it: the cache of the tests may be in a home that is closed. */
export function reachable(program: string): string {
  const file = join(openFolder(), basename(program))
  try {
    linkSync(program, file)
  } catch {
    copyFileSync(program, file) // another file system
  }
  return file
}

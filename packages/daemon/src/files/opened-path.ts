import type { FileHandle } from "node:fs/promises"
import { readlink, realpath, stat, statfs } from "node:fs/promises"

/** Where the kernel speaks through files: their sizes are not true, and reading one can wait for ever. */
const kernelFilesystems = new Set([
  ...[0x9fa0, 0x62656572, 0x64626720, 0x74726163], // proc, sysfs, debugfs, tracefs
  ...[0x27e0eb, 0x63677270, 0x73636673, 0xcafe4a11], // cgroup, cgroup2, securityfs, bpf
])

const linux = process.platform === "linux"

/** Where what was opened really is: a name may lead elsewhere the next time it is followed. */
export async function pathOfOpened(handle: FileHandle, named: string): Promise<string> {
  if (linux) return readlink(`/proc/self/fd/${handle.fd}`)
  const path = await realpath(named)
  const [opened, found] = [await handle.stat(), await stat(path)]
  if (opened.ino !== found.ino || opened.dev !== found.dev) throw new Error(`${named} changed while it was opened`)
  return path
}

export async function isOfKernel(handle: FileHandle): Promise<boolean> {
  return linux && kernelFilesystems.has((await statfs(`/proc/self/fd/${handle.fd}`)).type)
}

/** A name inside a folder that is open: nobody can put another folder in its place. */
export const inside = (folder: FileHandle, path: string, name: string): string =>
  linux ? `/proc/self/fd/${folder.fd}/${name}` : `${path}/${name}`

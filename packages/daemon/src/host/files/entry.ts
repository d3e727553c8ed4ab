import type { BigIntStats } from "node:fs"
import { lstat, readlink, stat } from "node:fs/promises"
import type { FileEntry, FileStat } from "@sandbox-agent/schema/file"
import { type BytePath, ofBuffer, toText, uriOf } from "./byte-path.ts"
import { entryHandleOf } from "./entry-handle.ts"
import type { Fence } from "./fence.ts"
import { type Opened, openIn, openPath } from "./opened.ts"
import { codeOf, on, systemError } from "./system-error.ts"

/** Changes with every change of the bytes that a file system tells of: they are not read for it. */
export const etagOf = ({ ino, size, mtimeNs, ctimeNs }: BigIntStats): string =>
  `"${[ino, size, mtimeNs, ctimeNs].map((part) => part.toString(36)).join("-")}"`

export const modeText = (mode: bigint | number): string => (Number(mode) & 0o7777).toString(8).padStart(4, "0")

function specialOf(stats: BigIntStats): FileEntry["special"] {
  if (stats.isFIFO()) return "fifo"
  if (stats.isSocket()) return "socket"
  return stats.isCharacterDevice() || stats.isBlockDevice() ? "device" : undefined
}

const common = (path: BytePath, stats: BigIntStats) => ({
  path: toText(path),
  uri: uriOf(path),
  entryType: stats.isDirectory() ? ("directory" as const) : ("file" as const),
  size: Number(stats.size),
  modified: new Date(Number(stats.mtimeMs)).toISOString(),
  mode: modeText(stats.mode),
  special: specialOf(stats),
})

/** One line of a listing; `undefined`: gone since it was listed. */
export async function entryOf(fence: Fence, folder: Opened, name: BytePath): Promise<FileEntry | undefined> {
  const path = folder.pathOf(name)
  const stats = await lstat(folder.at(name), { bigint: true }).catch((error: unknown) => {
    if (codeOf(error) === "ENOENT") return undefined
    throw systemError(path, error)
  })
  if (stats === undefined) return undefined
  const { path: shown, uri, ...rest } = common(path, stats)
  const entry = { name: toText(name), path: shown, uri, ...rest }
  if (!stats.isSymbolicLink()) return entry
  const symlink = await readlink(folder.at(name), { encoding: "buffer" }).catch(() => undefined)
  if (symlink === undefined) return undefined
  return { ...entry, entryType: await typeBehind(fence, path), symlink: toText(ofBuffer(symlink)) }
}

/** Of what cannot be told, because it is not there or outside, no more is said than that it is no folder. */
async function typeBehind(fence: Fence, path: BytePath): Promise<FileEntry["entryType"]> {
  const opened = await openPath(fence, path).catch(() => undefined)
  if (opened === undefined) return "file"
  await using behind = opened
  return (await behind.handle.stat()).isDirectory() ? "directory" : "file"
}

export async function statOf(fence: Fence, path: BytePath, follow: boolean): Promise<FileStat> {
  await using handle = await entryHandleOf(fence, path)
  await using found = follow ? await openPath(fence, path) : await openIn(fence, handle.folder, handle.name)
  const stats = await on(path, follow ? stat(found.self, { bigint: true }) : lstat(handle.there, { bigint: true }))
  const link = await readlink(handle.there, { encoding: "buffer" }).catch(() => undefined)
  return {
    ...common(path, stats),
    symlink: link === undefined ? undefined : toText(ofBuffer(link)),
    realPath: toText(found.path),
    uid: Number(stats.uid),
    gid: Number(stats.gid),
    links: Number(stats.nlink),
    etag: stats.isFile() ? etagOf(stats) : undefined,
  }
}

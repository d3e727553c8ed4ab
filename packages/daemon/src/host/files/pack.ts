import { type BigIntStats, constants } from "node:fs"
import { type FileHandle, lstat, open, readlink } from "node:fs/promises"
import { fileLimits } from "@sandbox-agent/schema/file-limits"
import { type BytePath, ofBuffer, toText } from "./byte-path.ts"
import type { Fence } from "./fence.ts"
import type { IgnoreRules } from "./ignore-rules.ts"
import type { Opened } from "./opened.ts"
import { codeOf } from "./system-error.ts"
import { BLOCK, fitsName, fitsSize, padding, writeHeader } from "./tar-header.ts"
import { paxRecord } from "./tar-pax.ts"
import { enter, namesIn } from "./tree.ts"

export interface Packing {
  hidden: boolean
  rules: IgnoreRules | undefined
}

/** One name of a folder, looked at ahead of its turn. Small files are read already. */
interface Found {
  name: BytePath
  stats: BigIntStats | undefined
  target: BytePath
  bytes: Uint8Array | undefined
  handle: FileHandle | undefined
}

const READ = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK

/** A folder as a tar archive, made while it is taken. Files that cannot be read are left out, as `tar` does. */
export class Packer {
  /** Files with several names, by what they are: only the first has the bytes. */
  readonly #linked = new Map<string, BytePath>()
  readonly #buffer = Buffer.allocUnsafeSlow(fileLimits.chunkBytes)
  #filled = 0

  constructor(
    private readonly fence: Fence,
    private readonly packing: Packing,
  ) {}

  async *pack(root: Opened): AsyncGenerator<Uint8Array> {
    yield* this.#folder(root, "", this.packing.rules)
    yield* this.#add(Buffer.alloc(2 * BLOCK))
    yield this.#buffer.subarray(0, this.#filled)
  }

  async *#folder(folder: Opened, way: BytePath, rules: IgnoreRules | undefined): AsyncGenerator<Uint8Array> {
    const names = (await namesIn(folder)).filter((name) => this.packing.hidden || !name.startsWith("."))
    const ahead: Promise<Found>[] = []
    let next = 0
    const look = () => {
      while (next < names.length && ahead.length < fileLimits.smallFilesAtOnce)
        ahead.push(this.#find(folder, names[next++] ?? "", rules))
    }
    try {
      for (look(); ahead.length > 0; look()) {
        const found = await ahead.shift()
        if (found?.stats !== undefined) yield* this.#entry(folder, way, found, found.stats, rules)
      }
    } finally {
      // Nobody wants those that were opened ahead.
      for (const found of ahead) await (await found).handle?.close()
    }
  }

  async #find(folder: Opened, name: BytePath, rules: IgnoreRules | undefined): Promise<Found> {
    const found: Found = { name, stats: undefined, target: "", bytes: undefined, handle: undefined }
    const path = folder.pathOf(name)
    const stats = await lstat(folder.at(name), { bigint: true }).catch(gone)
    if (stats === undefined || rules?.ignores(path, stats.isDirectory()) || !this.fence.allows(path)) return found
    if (stats.isSymbolicLink()) {
      const target = await readlink(folder.at(name), { encoding: "buffer" }).catch(gone)
      if (target === undefined) return found
      return { ...found, stats, target: ofBuffer(target) }
    }
    if (!stats.isFile()) return stats.isDirectory() ? { ...found, stats } : found
    if (stats.nlink > 1n && this.#linked.has(keyOf(stats))) return { ...found, stats }
    const handle = await open(folder.at(name), READ).catch(gone)
    if (handle === undefined) return found
    const now = await handle.stat({ bigint: true })
    if (!now.isFile() || now.size > fileLimits.smallFileBytes)
      return { ...found, stats: now.isFile() ? now : undefined, handle: now.isFile() ? handle : await closed(handle) }
    try {
      const bytes = new Uint8Array(Number(now.size))
      const { bytesRead } = await handle.read(bytes, 0, bytes.length, 0)
      return { ...found, stats: now, bytes: bytesRead === bytes.length ? bytes : bytes.fill(0, bytesRead) }
    } finally {
      await handle.close()
    }
  }

  async *#entry(
    folder: Opened,
    way: BytePath,
    found: Found,
    stats: BigIntStats,
    rules: IgnoreRules | undefined,
  ): AsyncGenerator<Uint8Array> {
    const path = way + found.name
    if (stats.isDirectory()) {
      const opened = await enter(this.fence, folder, found.name)
      if (opened === undefined) return
      await using inside = opened
      yield* this.#add(headersOf(`${path}/`, "5", 0, "", stats))
      yield* this.#folder(inside, `${path}/`, await rules?.inside(inside))
    } else if (stats.isSymbolicLink()) yield* this.#add(headersOf(path, "2", 0, found.target, stats))
    else yield* this.#file(path, found, stats)
  }

  async *#file(path: BytePath, { bytes, handle }: Found, stats: BigIntStats): AsyncGenerator<Uint8Array> {
    try {
      const first = stats.nlink > 1n ? this.#linked.get(keyOf(stats)) : undefined
      if (first !== undefined) return yield* this.#add(headersOf(path, "1", 0, first, stats))
      if (stats.nlink > 1n) this.#linked.set(keyOf(stats), path)
      const size = Number(stats.size)
      yield* this.#add(headersOf(path, "0", size, "", stats))
      if (bytes !== undefined) yield* this.#add(bytes)
      else if (handle !== undefined) yield* this.#long(handle, size)
      yield* this.#add(Buffer.alloc(padding(size)))
    } finally {
      await handle?.close()
    }
  }

  /** As long as it was when it was opened: one that became shorter is filled up, as `tar` does. */
  async *#long(handle: FileHandle, size: number): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < size; ) {
      if (this.#filled === this.#buffer.length) yield* this.#flush()
      const room = Math.min(this.#buffer.length - this.#filled, size - at)
      const { bytesRead } = await handle.read(this.#buffer, this.#filled, room, at)
      if (bytesRead === 0) this.#buffer.fill(0, this.#filled, this.#filled + room)
      this.#filled += bytesRead || room
      at += bytesRead || room
    }
  }

  *#add(bytes: Uint8Array): Generator<Uint8Array> {
    for (let at = 0; at < bytes.length; ) {
      if (this.#filled === this.#buffer.length) yield* this.#flush()
      const piece = bytes.subarray(at, at + this.#buffer.length - this.#filled)
      this.#buffer.set(piece, this.#filled)
      this.#filled += piece.length
      at += piece.length
    }
  }

  *#flush(): Generator<Uint8Array> {
    yield this.#buffer.subarray(0, this.#filled)
    this.#filled = 0
  }
}

async function closed(handle: FileHandle): Promise<undefined> {
  await handle.close()
}

const keyOf = ({ dev, ino }: BigIntStats): string => `${dev}:${ino}`

/** Gone, or closed to us: left out. */
function gone(error: unknown): undefined {
  if (["ENOENT", "EACCES", "EPERM", "ELOOP", "ENXIO", "ENOTDIR"].includes(codeOf(error) ?? "")) return undefined
  throw error
}

/** The header, and in front of it what does not fit into it. */
function headersOf(path: BytePath, type: string, size: number, target: BytePath, stats: BigIntStats): Buffer {
  const mtime = Number(stats.mtimeMs) / 1000
  const base = { mode: Number(stats.mode) & 0o7777, mtime }
  const header = writeHeader(
    { ...base, name: path, size: fitsSize(size) ? size : 0, type, target },
    Number(stats.uid),
    Number(stats.gid),
  )
  const long = [
    ...(fitsName(path) ? [] : [["path", path] as const]),
    ...(fitsName(target) ? [] : [["linkpath", target] as const]),
    ...(fitsSize(size) ? [] : [["size", String(size)] as const]),
  ]
  if (long.length === 0) return header
  const isText = long.every(([, value]) => isUtf8(value))
  if (isText) {
    const records = Buffer.concat(long.map(([key, value]) => paxRecord(key, value)))
    return Buffer.concat([block("PaxHeader", "x", records), header])
  }
  // pax is text; GNU's long names are bytes.
  const names = long.filter(([key]) => key !== "size")
  return Buffer.concat([
    ...names.map(([key, value]) =>
      block("././@LongLink", key === "path" ? "L" : "K", Buffer.from(`${value}\0`, "latin1")),
    ),
    header,
  ])
}

const isUtf8 = (value: BytePath): boolean => !toText(value).includes("\ufffd")

function block(name: string, type: string, content: Buffer): Buffer {
  const header = writeHeader({ name, mode: 0o644, size: content.length, mtime: 0, type, target: "" })
  return Buffer.concat([header, content, Buffer.alloc(padding(content.length))])
}

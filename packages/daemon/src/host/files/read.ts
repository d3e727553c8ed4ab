import { type BigIntStats, constants } from "node:fs"
import { type FileHandle, open } from "node:fs/promises"
import { SandboxAgentError } from "@sandbox-agent/schema/error"
import { fileLimits } from "@sandbox-agent/schema/file-limits"
import { isOfKernel } from "../../files/opened-path.ts"
import { type BytePath, toText } from "./byte-path.ts"
import { etagOf } from "./entry.ts"
import type { Fence } from "./fence.ts"
import { openPath } from "./opened.ts"
import { on } from "./system-error.ts"

/** A file that is open for reading, and what it was when it was opened. */
export class ReadableFile {
  readonly size: number
  readonly etag: string
  readonly modified: Date
  #closed: Promise<void> | undefined

  constructor(
    private readonly handle: FileHandle,
    readonly path: BytePath,
    stats: BigIntStats,
  ) {
    this.size = Number(stats.size)
    this.etag = etagOf(stats)
    this.modified = new Date(Number(stats.mtimeMs))
  }

  close(): Promise<void> {
    this.#closed ??= this.handle.close()
    return this.#closed
  }

  async whole(start: number, end: number): Promise<Uint8Array> {
    const bytes = new Uint8Array(end - start)
    for (let at = 0; at < bytes.length; ) at += await this.#read(bytes, at, bytes.length - at, start + at)
    return bytes
  }

  /** One buffer for all of it: whoever takes a chunk is done with it before the next. */
  async *chunks(start: number, end: number): AsyncGenerator<Uint8Array> {
    const buffer = new Uint8Array(fileLimits.chunkBytes)
    for (let at = start; at < end; ) {
      const bytes = await this.#read(buffer, 0, Math.min(buffer.length, end - at), at)
      at += bytes
      yield buffer.subarray(0, bytes)
    }
  }

  async #read(into: Uint8Array, offset: number, length: number, position: number): Promise<number> {
    const { bytesRead } = await on(this.path, this.handle.read(into, offset, length, position))
    // Fewer bytes than were promised must not look like all of them.
    if (bytesRead === 0)
      throw new SandboxAgentError("conflict", `${toText(this.path)} became shorter while it was read`)
    return bytesRead
  }
}

/** Only plain files of ordinary file systems are read: anything else can wait for ever or never end. */
export async function openForReading(fence: Fence, path: BytePath): Promise<ReadableFile> {
  await using found = await openPath(fence, path)
  const stats = await found.handle.stat({ bigint: true })
  if (stats.isDirectory()) throw new SandboxAgentError("invalid_request", `${toText(path)} is a folder`)
  if (!stats.isFile() || (await isOfKernel(found.handle)))
    throw new SandboxAgentError("invalid_request", `${toText(path)} is not a regular file`)
  const handle = await on(path, open(found.self, constants.O_RDONLY | constants.O_NONBLOCK))
  return new ReadableFile(handle, path, stats)
}

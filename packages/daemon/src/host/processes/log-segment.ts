import { closeSync, ftruncateSync, openSync, rmSync, writevSync } from "node:fs"
import { open } from "node:fs/promises"
import { join } from "node:path"
import { processLimits } from "@sandbox-agent/schema/process-limits"
import { headBytes, type LogRecord, recordsIn } from "./log-format.ts"

/** Places in the file that are remembered: one for so many bytes. */
const stride = 64 * 1024

/** A part of a log: one file, records one after the other. */
export class LogSegment {
  readonly path: string
  bytes = 0
  count = 0
  #fd: number | undefined
  /** Where some records begin, in order. */
  readonly #places: { sequence: number; offset: number }[] = []

  constructor(
    folder: string,
    /** The sequence of its first record. */
    readonly first: number,
  ) {
    this.path = join(folder, `log-${String(first).padStart(15, "0")}`)
  }

  get last(): number {
    return this.first + this.count - 1
  }

  /** All or nothing: a record that did not fit on the disk leaves no part of itself. */
  append(head: Buffer, bytes: Uint8Array): void {
    this.#fd ??= openSync(this.path, "a", 0o600)
    const length = head.length + bytes.length
    try {
      if (writevSync(this.#fd, [head, bytes]) !== length) throw new Error("the disk is full")
    } catch (error) {
      ftruncateSync(this.#fd, this.bytes)
      throw error
    }
    this.#remember(this.first + this.count, this.bytes)
    this.bytes += length
    this.count++
  }

  /** Records from a sequence on, as many as one read gives. */
  async read(sequence: number): Promise<LogRecord[]> {
    const place = this.#places.findLast((one) => one.sequence <= sequence) ?? { sequence: this.first, offset: 0 }
    const bytes = await bytesOf(this.path, place.offset, Math.min(this.bytes, place.offset + most))
    return recordsIn(bytes, place.sequence).records.filter((record) => record.sequence >= sequence)
  }

  /** Counts what a file of another daemon holds. What was not written to its end is not there. */
  async load(): Promise<void> {
    for (let offset = 0; ; ) {
      const { records, used } = recordsIn(await bytesOf(this.path, offset, offset + most), this.first + this.count)
      for (const record of records) {
        this.#remember(record.sequence, this.bytes)
        this.bytes += headBytes + record.bytes.length
      }
      this.count += records.length
      offset += used
      if (used === 0) return
    }
  }

  close(): void {
    if (this.#fd !== undefined) closeSync(this.#fd)
    this.#fd = undefined
  }

  remove(): void {
    this.close()
    rmSync(this.path, { force: true })
  }

  #remember(sequence: number, offset: number): void {
    if (offset - (this.#places.at(-1)?.offset ?? -stride) >= stride) this.#places.push({ sequence, offset })
  }
}

/** One record at least, whatever its size. */
const most = stride + processLimits.logReadBytes + headBytes + processLimits.logEntryBytes

async function bytesOf(path: string, from: number, to: number): Promise<Buffer> {
  if (to <= from) return Buffer.alloc(0)
  const file = await open(path, "r").catch((error: NodeJS.ErrnoException) => {
    // Dropped since: whoever reads goes on with what is kept.
    if (error.code === "ENOENT") return undefined
    throw error
  })
  if (file === undefined) return Buffer.alloc(0)
  try {
    const bytes = Buffer.allocUnsafe(to - from)
    const { bytesRead } = await file.read(bytes, 0, bytes.length, from)
    return bytes.subarray(0, bytesRead)
  } finally {
    await file.close()
  }
}

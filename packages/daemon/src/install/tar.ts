import { createReadStream } from "node:fs"
import { createGunzip } from "node:zlib"
import { ByteReader } from "./byte-reader.ts"
import { SourceFailure } from "./failure.ts"
import type { UnpackedFolder } from "./unpacked.ts"

const block = 512
/** Names that go before a header: longer than this is no name. */
const longestName = 64 * 1024

/** Blocks of nothing that fill an archive up. */
const longestEnd = 1024 * 1024

interface Header {
  name: string
  mode: number
  size: number
  type: string
  target: string
}

/** Unpacks a tar.gz: ustar, with the long names of GNU and of pax. */
export async function untar(path: string, folder: UnpackedFolder, onBytes?: (bytes: number) => void): Promise<void> {
  const file = createReadStream(path)
  const gunzip = createGunzip()
  let taken = 0
  file.on("data", (piece) => {
    taken += piece.length
    onBytes?.(taken)
  })
  // An error of the file must end the reader, too.
  file.on("error", (error) => gunzip.destroy(error))
  const reader = new ByteReader(file.pipe(gunzip) as AsyncIterable<Uint8Array>)
  try {
    await entries(reader, folder)
  } catch (error) {
    if (error instanceof SourceFailure) throw error
    const message = error instanceof Error ? error.message : String(error)
    throw new SourceFailure("broken", `the archive cannot be unpacked: ${message}`)
  } finally {
    file.destroy()
    gunzip.destroy()
  }
}

async function entries(reader: ByteReader, folder: UnpackedFolder): Promise<void> {
  let next: { name?: string; target?: string; size?: number } = {}
  for (;;) {
    const bytes = await reader.read(block)
    if (bytes.length === 0) return
    if (bytes.length < block) throw cutOff()
    if (bytes.every((byte) => byte === 0)) return drain(reader)
    const header = parse(bytes)
    if ("LKxg".includes(header.type)) {
      next = { ...next, ...meaning(header.type, await content(reader, header.size)) }
      continue
    }
    await entry({ ...header, ...next }, reader, folder)
    next = {}
  }
}

/** To the very end: only there does gzip say whether all of it came. */
async function drain(reader: ByteReader): Promise<void> {
  const { length } = await reader.read(longestEnd)
  if (length === longestEnd) throw new SourceFailure("broken", "the archive goes on after its end")
}

async function entry(header: Header, reader: ByteReader, folder: UnpackedFolder): Promise<void> {
  const { name, mode, size, type, target } = header
  if (type === "0" || type === "\0" || type === "7") {
    let left = size
    const counted = async function* () {
      for await (const piece of reader.take(size)) {
        left -= piece.byteLength
        yield piece
      }
    }
    await folder.file(name, mode, counted())
    if (left > 0) throw cutOff()
    await skip(reader, padding(size))
    return
  }
  await skip(reader, size + padding(size))
  if (type === "5") return folder.directory(name)
  if (type === "2") return folder.link(name, target)
  if (type === "1") return folder.hardLink(name, target)
  throw new SourceFailure("integrity", `the archive is refused: ${JSON.stringify(name)} is a device or the like`)
}

function parse(bytes: Buffer): Header {
  const sum = bytes.reduce((total, byte, at) => total + (at >= 148 && at < 156 ? 32 : byte), 0)
  if (sum !== number(bytes, 148, 8))
    throw new SourceFailure("broken", "the archive is damaged: a header does not add up")
  const ustar = text(bytes, 257, 5) === "ustar"
  const prefix = ustar && text(bytes, 257, 8) !== "ustar  " ? text(bytes, 345, 155) : ""
  return {
    name: prefix ? `${prefix}/${text(bytes, 0, 100)}` : text(bytes, 0, 100),
    mode: number(bytes, 100, 8),
    size: number(bytes, 124, 12),
    type: String.fromCharCode(bytes[156] ?? 0),
    target: text(bytes, 157, 100),
  }
}

/** What goes before a header for the next entry: GNU's long names, or the records of pax. */
function meaning(type: string, bytes: Buffer): { name?: string; target?: string; size?: number } {
  const whole = bytes.toString("utf8").replace(/\0+$/, "")
  if (type === "L") return { name: whole }
  if (type === "K") return { target: whole }
  if (type === "g") return {}
  const found: { name?: string; target?: string; size?: number } = {}
  for (let at = 0; at < bytes.length; ) {
    const length = Number.parseInt(bytes.toString("latin1", at, at + 20), 10)
    if (!(length > 0)) break
    const [, key, value] = /^\d+ ([^=]+)=([\s\S]*)\n$/.exec(bytes.toString("utf8", at, at + length)) ?? []
    if (key === "path") found.name = value
    if (key === "linkpath") found.target = value
    if (key === "size") found.size = Number(value)
    at += length
  }
  return found
}

async function content(reader: ByteReader, size: number): Promise<Buffer> {
  if (size > longestName) throw new SourceFailure("broken", "the archive is damaged: a name without end")
  const bytes = await reader.read(size)
  if (bytes.length < size) throw cutOff()
  await skip(reader, padding(size))
  return bytes
}

async function skip(reader: ByteReader, count: number): Promise<void> {
  for await (const _ of reader.take(count)) {
    // Passed over.
  }
}

const padding = (size: number): number => (block - (size % block)) % block

const text = (bytes: Buffer, at: number, length: number): string => {
  const end = bytes.indexOf(0, at)
  return bytes.toString("utf8", at, end < 0 ? at + length : Math.min(end, at + length))
}

/** Octal digits, or with the first bit set a big-endian number. */
function number(bytes: Buffer, at: number, length: number): number {
  const first = bytes[at] ?? 0
  if (first & 0x80) {
    let value = first & 0x7f
    for (const byte of bytes.subarray(at + 1, at + length)) value = value * 256 + byte
    return safe(value)
  }
  return safe(Number.parseInt(text(bytes, at, length).trim() || "0", 8))
}

function safe(value: number): number {
  if (Number.isSafeInteger(value) && value >= 0) return value
  throw new SourceFailure("broken", "the archive is damaged: a number that is none")
}

const cutOff = () => new SourceFailure("broken", "the archive is cut off")

import { type FileHandle, open } from "node:fs/promises"
import { Readable } from "node:stream"
import { crc32, createInflateRaw } from "node:zlib"
import { SourceFailure } from "./failure.ts"
import type { UnpackedFolder } from "./unpacked.ts"

/** The end record and the longest comment behind it. */
const endBytes = 22 + 0xffff
const directoryBytes = 64 * 1024 * 1024

interface Entry {
  name: string
  method: number
  flags: number
  crc: number
  packed: number
  size: number
  mode: number
  at: number
}

/** Unpacks a zip by its directory: stored and deflated files, links, no encryption, no 64-bit records. */
export async function unzip(path: string, folder: UnpackedFolder): Promise<void> {
  const file = await open(path, "r")
  try {
    for (const entry of await directory(file)) await unpack(file, entry, folder)
  } catch (error) {
    if (error instanceof SourceFailure) throw error
    throw damaged(error instanceof Error ? error.message : String(error))
  } finally {
    await file.close()
  }
}

async function directory(file: FileHandle): Promise<Entry[]> {
  const { size } = await file.stat()
  const tail = await read(file, Math.max(0, size - endBytes), Math.min(size, endBytes))
  const end = tail.lastIndexOf(Buffer.from("PK\x05\x06", "latin1"))
  if (end < 0 || tail.length - end < 22) throw damaged("it is cut off")
  const [count, length, start] = [tail.readUInt16LE(end + 10), tail.readUInt32LE(end + 12), tail.readUInt32LE(end + 16)]
  if (count === 0xffff || start === 0xffffffff) throw damaged("64-bit zip files are not read")
  if (length > directoryBytes) throw damaged("its directory is too large")
  const bytes = await read(file, start, length)
  const found: Entry[] = []
  for (let at = 0; found.length < count; ) {
    if (at + 46 > bytes.length || bytes.readUInt32LE(at) !== 0x02014b50) throw damaged("its directory is cut off")
    const [name, extra, comment] = [28, 30, 32].map((place) => bytes.readUInt16LE(at + place)) as [
      number,
      number,
      number,
    ]
    found.push({
      name: bytes.toString("utf8", at + 46, at + 46 + name),
      flags: bytes.readUInt16LE(at + 8),
      method: bytes.readUInt16LE(at + 10),
      crc: bytes.readUInt32LE(at + 16),
      packed: bytes.readUInt32LE(at + 20),
      size: bytes.readUInt32LE(at + 24),
      // The upper half is the mode where the archive was made on Unix.
      mode: bytes[at + 5] === 3 ? bytes.readUInt16LE(at + 40) : 0o100644,
      at: bytes.readUInt32LE(at + 42),
    })
    at += 46 + name + extra + comment
  }
  return found
}

async function unpack(file: FileHandle, entry: Entry, folder: UnpackedFolder): Promise<void> {
  const { name, mode } = entry
  if (name.endsWith("/")) return folder.directory(name)
  if (entry.flags & 1) throw damaged(`${name} is encrypted`)
  const kind = mode & 0o170000
  if (kind === 0o120000) return folder.link(name, await linkTarget(file, entry))
  if (kind !== 0 && kind !== 0o100000)
    throw new SourceFailure("integrity", `the archive is refused: ${JSON.stringify(name)} is a device or the like`)
  await folder.file(name, mode, checked(file, entry))
}

async function linkTarget(file: FileHandle, entry: Entry): Promise<string> {
  if (entry.size > 4096) throw damaged(`${entry.name} is a link to nowhere`)
  const parts: Uint8Array[] = []
  for await (const piece of checked(file, entry)) parts.push(piece)
  return Buffer.concat(parts).toString("utf8")
}

async function* checked(file: FileHandle, entry: Entry): AsyncGenerator<Uint8Array> {
  let [crc, bytes] = [0, 0]
  for await (const piece of await content(file, entry)) {
    bytes += piece.byteLength
    if (bytes > entry.size) throw damaged(`${entry.name} is longer than it says`)
    crc = crc32(piece, crc)
    yield piece
  }
  if (bytes !== entry.size || crc !== entry.crc) throw damaged(`${entry.name} is cut off or changed`)
}

async function content(file: FileHandle, { name, method, packed, at }: Entry): Promise<AsyncIterable<Uint8Array>> {
  const head = await read(file, at, 30)
  if (head.readUInt32LE(0) !== 0x04034b50) throw damaged(`${name} is not where the directory says`)
  const start = at + 30 + head.readUInt16LE(26) + head.readUInt16LE(28)
  const raw = stored(file, start, packed)
  if (method === 0) return raw
  if (method !== 8) throw damaged(`${name} is packed in a way (${method}) that is not read`)
  return inflated(raw)
}

async function* stored(file: FileHandle, start: number, length: number): AsyncGenerator<Uint8Array> {
  const piece = 256 * 1024
  for (let at = 0; at < length; at += piece) yield await read(file, start + at, Math.min(piece, length - at))
}

async function* inflated(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const inflate = createInflateRaw()
  const packed = Readable.from(source)
  packed.on("error", (error) => inflate.destroy(error))
  try {
    yield* packed.pipe(inflate) as AsyncIterable<Uint8Array>
  } finally {
    packed.destroy()
    inflate.destroy()
  }
}

async function read(file: FileHandle, at: number, length: number): Promise<Buffer> {
  const buffer = Buffer.alloc(length)
  let got = 0
  while (got < length) {
    const { bytesRead } = await file.read(buffer, got, length - got, at + got)
    if (bytesRead === 0) throw damaged("it is cut off")
    got += bytesRead
  }
  return buffer
}

const damaged = (why: string) => new SourceFailure("broken", `the zip archive cannot be unpacked: ${why}`)

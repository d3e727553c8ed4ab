import { SandboxAgentError } from "@sandbox-agent/schema/error"
import { type BytePath, ofBuffer, toBuffer } from "./byte-path.ts"

export const BLOCK = 512

/** One block in front of each entry, as it stands there. */
export interface TarHeader {
  name: BytePath
  mode: number
  size: number
  mtime: number
  type: string
  target: BytePath
}

/** Where each field is, and how long. */
const at = {
  name: [0, 100],
  mode: [100, 8],
  uid: [108, 8],
  gid: [116, 8],
  size: [124, 12],
  mtime: [136, 12],
  checksum: [148, 8],
  type: [156, 1],
  target: [157, 100],
  magic: [257, 8],
  prefix: [345, 155],
} as const

const field = (block: Uint8Array, [start, length]: readonly [number, number]): Uint8Array =>
  block.subarray(start, start + length)

function text(bytes: Uint8Array): BytePath {
  const end = bytes.indexOf(0)
  return ofBuffer(end < 0 ? bytes : bytes.subarray(0, end))
}

/** Octal digits, or with the first bit set a number in bytes, as GNU and others write large ones. */
export function numberIn(bytes: Uint8Array): number {
  const [first = 0] = bytes
  if (first & 0x80) {
    let value = first === 0xff ? -1 : first & 0x7f
    for (const byte of bytes.subarray(1)) value = value * 256 + byte
    return value
  }
  const digits = text(bytes).trim()
  if (!/^[0-7]*$/.test(digits)) throw broken("a number in a header is none")
  return digits === "" ? 0 : Number.parseInt(digits, 8)
}

export const broken = (why: string) => new SandboxAgentError("invalid_request", `this is no tar archive: ${why}`)

function checksum(block: Uint8Array): number {
  const [start, length] = at.checksum
  let sum = 0x20 * length
  for (let i = 0; i < start; i++) sum += block[i] ?? 0
  for (let i = start + length; i < BLOCK; i++) sum += block[i] ?? 0
  return sum
}

/** `undefined`: a block of nothing, with which archives end. */
export function readHeader(block: Uint8Array): TarHeader | undefined {
  if (block.every((byte) => byte === 0)) return undefined
  if (numberIn(field(block, at.checksum)) !== checksum(block)) throw broken("the checksum of a header is wrong")
  const size = numberIn(field(block, at.size))
  if (!Number.isSafeInteger(size) || size < 0) throw broken("the size of an entry is none")
  const name = text(field(block, at.name))
  // GNU has times where POSIX has the beginning of long names.
  const isPosix = ofBuffer(field(block, at.magic)).startsWith("ustar\0")
  const prefix = isPosix ? text(field(block, at.prefix)) : ""
  return {
    name: prefix === "" ? name : `${prefix}/${name}`,
    mode: numberIn(field(block, at.mode)) & 0o7777,
    size,
    mtime: numberIn(field(block, at.mtime)),
    type: String.fromCharCode(block[at.type[0]] ?? 0),
    target: text(field(block, at.target)),
  }
}

export const fitsName = (path: BytePath): boolean => path.length <= at.name[1]
export const fitsSize = (size: number): boolean => size < 8 ** 11

export function writeHeader(header: TarHeader, uid = 0, gid = 0): Buffer {
  const block = Buffer.alloc(BLOCK)
  const put = ([start, length]: readonly [number, number], bytes: Buffer) => bytes.copy(block, start, 0, length)
  const digits = ([start, length]: readonly [number, number], value: number) =>
    block.write(
      Math.max(0, Math.floor(value))
        .toString(8)
        .padStart(length - 1, "0")
        .slice(-(length - 1)),
      start,
      "latin1",
    )
  put(at.name, toBuffer(header.name))
  digits(at.mode, header.mode)
  digits(at.uid, uid)
  digits(at.gid, gid)
  digits(at.size, header.size)
  digits(at.mtime, header.mtime)
  block.write(header.type, at.type[0], "latin1")
  put(at.target, toBuffer(header.target))
  block.write("ustar\x0000", at.magic[0], "latin1")
  block.write(`${checksum(block).toString(8).padStart(6, "0")}\0 `, at.checksum[0], "latin1")
  return block
}

export const padding = (size: number): number => (BLOCK - (size % BLOCK)) % BLOCK

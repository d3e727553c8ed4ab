import { fileLimits } from "@sandbox-agent/schema/file-limits"
import { ofBuffer } from "./byte-path.ts"
import { type ByteSource, cutOff } from "./byte-source.ts"
import { BLOCK, broken, numberIn } from "./tar-header.ts"
import type { Pax } from "./tar-pax.ts"

/** Where the bytes of a file with holes belong, and how long it is. */
export interface SparseMap {
  realSize: number
  pieces: { offset: number; length: number }[]
}

/** Of a number in a map. */
const DIGITS = 24

/** Bytes that an archive has of it. */
export const lengthOf = ({ pieces }: SparseMap): number => pieces.reduce((sum, { length }) => sum + length, 0)

/** As GNU wrote it first: four pieces in the header, more in blocks behind it. */
export async function oldSparseMap(source: ByteSource, header: Uint8Array): Promise<SparseMap> {
  const numbers: number[] = []
  const take = (block: Uint8Array, start: number, count: number) => {
    for (let i = 0; i < count * 2; i++) numbers.push(numberIn(block.subarray(start + i * 12, start + i * 12 + 12)))
  }
  take(header, 386, 4)
  const realSize = numberIn(header.subarray(483, 495))
  for (let more = header[482]; more; ) {
    const block = await source.exactly(BLOCK)
    if (block === undefined) throw cutOff()
    take(block, 0, 21)
    more = block[504]
    assertFew(numbers)
  }
  return mapOf(realSize, numbers)
}

/** As pax has it: in the header, or in front of the bytes. */
export async function paxSparseMap(source: ByteSource, pax: Pax, size: number): Promise<SparseMap | undefined> {
  const realSize = Number(pax["GNU.sparse.realsize"] ?? pax["GNU.sparse.size"] ?? Number.NaN)
  if (pax["GNU.sparse.major"] === "1") return mapOf(realSize, await numbersInFront(source, size))
  const map = pax["GNU.sparse.map"]
  return map === undefined ? undefined : mapOf(realSize, map === "" ? [] : map.split(",").map(Number))
}

/** Decimal lines: how many pieces, then offset and length of each, filled up to a block. */
async function numbersInFront(source: ByteSource, size: number): Promise<number[]> {
  const numbers: number[] = []
  let line = ""
  for (let read = 0; numbers.length === 0 || numbers.length < 1 + (numbers[0] ?? 0) * 2; read += BLOCK) {
    if (line.length > DIGITS) throw broken("a sparse map is damaged")
    const block = read + BLOCK > size ? undefined : await source.exactly(BLOCK)
    if (block === undefined) throw cutOff()
    const lines = (line + ofBuffer(block)).split("\n")
    line = lines.pop() ?? ""
    numbers.push(...lines.map(Number))
    assertFew(numbers)
  }
  return numbers.slice(1, 1 + (numbers[0] ?? 0) * 2)
}

function assertFew(numbers: readonly number[]): void {
  if (numbers.length > fileLimits.sparsePieces * 2)
    throw broken(`a file has more than ${fileLimits.sparsePieces} pieces`)
}

function mapOf(realSize: number, numbers: readonly number[]): SparseMap {
  assertFew(numbers)
  const pieces: SparseMap["pieces"] = []
  let end = 0
  for (let i = 0; i + 1 < numbers.length; i += 2) {
    const [offset = Number.NaN, length = Number.NaN] = [numbers[i], numbers[i + 1]]
    if (offset === 0 && length === 0 && i > 0) continue
    if (!(Number.isSafeInteger(offset + length) && offset >= end && length >= 0))
      throw broken("a sparse map is damaged")
    end = offset + length
    if (length > 0) pieces.push({ offset, length })
  }
  if (!Number.isSafeInteger(realSize) || realSize < end) throw broken("a sparse map is damaged")
  return { realSize, pieces }
}

import type { SQLQueryBindings } from "bun:sqlite"
import type { Change, Values } from "./live-database.ts"

/** Number, bytes of text, bytes of blobs, sum of all but this head. */
const HEAD = 24
/** Bits of a checksum that a number of JavaScript holds exactly. */
const DROPPED_BITS = 12n

/** One commit as the redo file has it: its statements in order, each with its values. */
export interface RedoRecord {
  readonly number: number
  readonly statements: [sql: string, values: Values][]
}

/** Where records are made, one after the other, unless they are long. */
const room = Buffer.allocUnsafeSlow(64 * 1024)
/** Of UTF-8, for a unit of a JavaScript string. */
const MOST_BYTES = 3

/** A head, the statements as JSON, then the bytes of their blobs, which JSON only gives the length of. Good until the next is made. */
export function encodeRecord(number: number, changes: readonly Change[]): Buffer {
  const blobs: Uint8Array[] = []
  const statements: [sql: string, values: Stored[]][] = []
  let blobBytes = 0
  for (const { statement, values } of changes) {
    let stored: Stored[] = values
    for (let i = 0; i < values.length; i++) {
      const value = values[i]
      if (!(value instanceof Uint8Array)) continue
      if (stored === values) stored = [...values]
      stored[i] = { blob: value.length }
      blobs.push(value)
      blobBytes += value.length
    }
    statements.push([statement.sql, stored])
  }
  const text = JSON.stringify(statements)
  const most = HEAD + text.length * MOST_BYTES + blobBytes
  const record = most <= room.length ? room : Buffer.allocUnsafe(most)
  const textBytes = record.write(text, HEAD)
  record.writeDoubleLE(number, 0)
  record.writeUInt32LE(textBytes, 8)
  record.writeUInt32LE(blobBytes, 12)
  let at = HEAD + textBytes
  for (const blob of blobs) {
    record.set(blob, at)
    at += blob.length
  }
  record.writeDoubleLE(sumOf(number, record.subarray(HEAD, at)), 16)
  return record.subarray(0, at)
}

/** The records that follow each other without a gap; what comes after them is older, or was never written whole. */
export function* decodeRecords(bytes: Buffer): Generator<RedoRecord> {
  let expected: number | undefined
  for (let at = 0; at + HEAD <= bytes.length; ) {
    const number = bytes.readDoubleLE(at)
    const textEnd = at + HEAD + bytes.readUInt32LE(at + 8)
    const end = textEnd + bytes.readUInt32LE(at + 12)
    if (end > bytes.length || !Number.isSafeInteger(number) || number !== (expected ?? number)) return
    if (bytes.readDoubleLE(at + 16) !== sumOf(number, bytes.subarray(at + HEAD, end))) return
    yield { number, statements: statementsIn(bytes.toString("utf8", at + HEAD, textEnd), bytes.subarray(textEnd, end)) }
    expected = number + 1
    at = end
  }
}

type Stored = SQLQueryBindings | { blob: number }

function statementsIn(text: string, blobs: Buffer): RedoRecord["statements"] {
  let at = 0
  const read = (value: Stored): SQLQueryBindings => {
    if (value === null || typeof value !== "object" || !("blob" in value)) return value as SQLQueryBindings
    const start = at
    at += value.blob as number
    return blobs.subarray(start, at)
  }
  return (JSON.parse(text) as [string, Stored[]][]).map(([sql, values]) => [sql, values.map(read)])
}

const sumOf = (number: number, payload: Uint8Array): number =>
  Number(Bun.hash.wyhash(payload, BigInt(number)) >> DROPPED_BITS)

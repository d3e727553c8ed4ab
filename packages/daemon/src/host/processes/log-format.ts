import type { ProgramStream } from "../../core/supervisor.ts"

/** What a record of a log is; its place in this list is what stands in the file. */
const kinds = ["stdout", "stderr", "pty", "port"] as const
export type RecordKind = (typeof kinds)[number]

export interface LogRecord {
  sequence: number
  kind: RecordKind
  timestampMs: number
  bytes: Uint8Array
}

export const isOutput = (record: LogRecord): record is LogRecord & { kind: ProgramStream } => record.kind !== "port"

/** Length of the bytes, kind, time; the bytes follow. */
export const headBytes = 13

export function headOf(kind: RecordKind, timestampMs: number, length: number): Buffer {
  const head = Buffer.allocUnsafe(headBytes)
  head.writeUInt32LE(length, 0)
  head.writeUInt8(kinds.indexOf(kind), 4)
  head.writeDoubleLE(timestampMs, 5)
  return head
}

/** The whole records at the beginning of these bytes, numbered from `first`, and how many bytes they are. */
export function recordsIn(bytes: Buffer, first: number): { records: LogRecord[]; used: number } {
  const records: LogRecord[] = []
  let at = 0
  while (at + headBytes <= bytes.length) {
    const length = bytes.readUInt32LE(at)
    const end = at + headBytes + length
    if (end > bytes.length) break
    records.push({
      sequence: first + records.length,
      kind: kinds[bytes.readUInt8(at + 4)] ?? "stdout",
      timestampMs: bytes.readDoubleLE(at + 5),
      bytes: bytes.subarray(at + headBytes, end),
    })
    at = end
  }
  return { records, used: at }
}

import type { LogStream } from "@sandbox-agent/schema/process"
import type { ProcessLog } from "./log.ts"
import { isOutput, type LogRecord } from "./log-format.ts"

/** Whether a record is among what was asked for; ports belong to everything. */
export const isOf = (stream: LogStream, record: LogRecord): boolean =>
  stream === "combined" || (isOutput(record) && record.kind === stream)

/** The sequence after which the last so many of a stream come. */
export async function beforeTail(log: ProcessLog, stream: LogStream, count: number): Promise<number> {
  if (count === 0) return log.last
  const last: number[] = []
  const until = log.last
  for (let after = log.first - 1; after < until; ) {
    const records = await log.read(after)
    if (records.length === 0) break
    for (const record of records) if (isOutput(record) && isOf(stream, record)) last.push(record.sequence)
    if (last.length > count) last.splice(0, last.length - count)
    after = records.at(-1)?.sequence ?? until
  }
  return (last[0] ?? until + 1) - 1
}

/** What is there after a sequence, and is there still when it is read. */
export async function* recordsUntil(log: ProcessLog, after: number, until: number): AsyncGenerator<LogRecord> {
  for (let at = after; at < until; ) {
    const records = await log.read(at)
    if (records.length === 0) return
    for (const record of records) if (record.sequence <= until) yield record
    at = records.at(-1)?.sequence ?? until
  }
}

/** The next records after a sequence; or that nothing came for so long, or that nothing will come any more, though some may have been lost. */
export async function nextRecords(
  log: ProcessLog,
  after: number,
  quietMs: number,
  signal: AbortSignal,
): Promise<LogRecord[] | "quiet" | "over"> {
  for (const quietAt = performance.now() + quietMs; ; ) {
    // Before it is looked: what comes, or is dropped, meanwhile is looked for again, and a closed log changes no more.
    const { closed } = log
    const { changed, leave } = changeOf(log, quietAt - performance.now(), signal)
    try {
      const records = await log.read(after)
      if (records.length > 0) return records
      if (closed) return "over"
      if (signal.aborted || (await changed) !== "woken") return "quiet"
    } finally {
      leave()
    }
  }
}

function changeOf(log: ProcessLog, ms: number, signal: AbortSignal) {
  const { promise: changed, resolve } = Promise.withResolvers<"woken" | "quiet">()
  const woken = () => resolve("woken")
  const quiet = () => resolve("quiet")
  const timer = setTimeout(quiet, ms)
  log.waiting.add(woken)
  signal.addEventListener("abort", quiet, { once: true })
  const leave = () => {
    clearTimeout(timer)
    log.waiting.delete(woken)
    signal.removeEventListener("abort", quiet)
  }
  return { changed, leave }
}

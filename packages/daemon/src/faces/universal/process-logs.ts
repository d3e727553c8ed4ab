import { SandboxAgentError } from "@sandbox-agent/schema/error"
import type { LogStream } from "@sandbox-agent/schema/process"
import { beforeTail, isOf, nextRecords, recordsUntil } from "../../host/processes/follow.ts"
import type { ProcessLog } from "../../host/processes/log.ts"
import { isOutput, type LogRecord } from "../../host/processes/log-format.ts"
import type { ManagedProcess } from "../../host/processes/process.ts"
import { assertRoomForStream, heartbeat, open, sseResponse } from "../http/sse.ts"
import type { StalledReaders } from "../http/stalled-readers.ts"

export interface LogQuery {
  stream: LogStream
  since: number
  tail: number | undefined
}

const encoder = new TextEncoder()

const base64 = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("base64")

/** By hand: the same for each of many entries. */
const entryJson = ({ sequence, kind, timestampMs, bytes }: LogRecord): string =>
  `{"sequence":${sequence},"stream":"${kind}","timestampMs":${timestampMs},"data":"${base64(bytes)}","encoding":"base64"}`

/** A log of any length, written as it is read. */
export async function logsResponse(process: ManagedProcess, query: LogQuery): Promise<Response> {
  const log = await process.log()
  assertSince(log, query)
  const until = log.last
  const after =
    query.tail === undefined ? query.since : Math.max(query.since, await beforeTail(log, query.stream, query.tail))
  const head = { processId: process.record.id, stream: query.stream, firstSequence: log.first, lastSequence: until }
  async function* text(): AsyncGenerator<Uint8Array> {
    let before = `${JSON.stringify(head).slice(0, -1)},"entries":[`
    for await (const record of recordsUntil(log, after, until)) {
      if (!isOutput(record) || !isOf(query.stream, record)) continue
      yield encoder.encode(before + entryJson(record))
      before = ","
    }
    yield encoder.encode(`${before === "," ? "" : before}]}`)
  }
  return new Response(text() as unknown as ReadableStream, { headers: { "content-type": "application/json" } })
}

/** `Last-Event-ID` wins over `since`, and over `tail`: whoever comes back has had the last entries of then. */
export function beginningOf(
  request: Request,
  { since = 0, tail }: { since?: number; tail?: number },
): Pick<LogQuery, "since" | "tail"> {
  const given = request.headers.get("last-event-id")
  if (given === null || given === "") return { since, tail }
  if (!/^\d{1,15}$/.test(given))
    throw new SandboxAgentError("invalid_request", "Last-Event-ID: not a sequence of this log")
  return { since: Number(given), tail: undefined }
}

/** It would wait for what comes after something that never came. */
function assertSince({ last }: ProcessLog, { since }: LogQuery): void {
  if (since > last)
    throw new SandboxAgentError("invalid_request", `since ${since} is beyond the end of the log`, {
      lastSequence: last,
    })
}

export async function logStream(
  process: ManagedProcess,
  query: LogQuery,
  request: Request,
  stalled: StalledReaders,
): Promise<Response> {
  assertRoomForStream()
  const log = await process.log()
  assertSince(log, query)
  const after =
    query.tail === undefined ? query.since : Math.max(query.since, await beforeTail(log, query.stream, query.tail))
  return sseResponse(frames(process, log, query.stream, after, request, stalled))
}

async function* frames(
  process: ManagedProcess,
  log: ProcessLog,
  stream: LogStream,
  after: number,
  request: Request,
  stalled: StalledReaders,
): AsyncGenerator<Uint8Array> {
  const { signal } = request
  const watched = stalled.watch(request)
  const give = (text: string | Uint8Array): Uint8Array => {
    const bytes = typeof text === "string" ? encoder.encode(text) : text
    watched.given += bytes.length
    return bytes
  }
  open.streams++
  let at = after
  try {
    // With its place: one that is cut off before its first entry would begin at another.
    yield give(`retry: 1000\nid: ${after}\n\n`)
    while (!signal.aborted && !watched.stalled) {
      watched.hasAll = log.last <= at
      const records = await nextRecords(log, at, stalled.heartbeatMs, signal)
      watched.hasAll = false
      if (records === "over") break
      if (records === "quiet") {
        yield give(heartbeat)
        continue
      }
      const first = records[0]?.sequence ?? at + 1
      if (first > at + 1) yield give(gapFrame(first))
      at = records.at(-1)?.sequence ?? at
      const text = records
        .filter((record) => isOf(stream, record))
        .map(frameOf)
        .join("")
      if (text !== "") yield give(text)
    }
    await watched.cut()
    if (signal.aborted) return
    // The last of it was lost.
    if (log.last > at) yield give(gapFrame(log.last + 1))
    await process.ended
    const { exitCode, signal: name, reason } = process.record
    yield give(`event: exit\ndata: ${JSON.stringify({ exitCode, signal: name, reason })}\n\n`)
  } finally {
    stalled.forget(watched)
    open.streams--
  }
}

const gapFrame = (firstSequence: number): string => `event: gap\ndata: {"firstSequence":${firstSequence}}\n\n`

function frameOf(record: LogRecord): string {
  const { sequence, timestampMs, bytes } = record
  if (isOutput(record)) return `event: log\nid: ${sequence}\ndata: ${entryJson(record)}\n\n`
  const port = JSON.parse(Buffer.from(bytes).toString()) as object
  return `event: port\nid: ${sequence}\ndata: ${JSON.stringify({ sequence, timestampMs, ...port })}\n\n`
}

import { jsonHead } from "@sandbox-agent/schema/json-head"
import type { LineOutcome, LineSink, SessionSink } from "../../core/driver-sink.ts"
import { ignoreGone } from "../shared/ignore-gone.ts"

/**
 * A line that is too long or too deep to be read: whoever waits for it is told what its beginning tells. A turn ends with
 * its result, however little of that was read.
 */
export function ignoreLine(
  raw: string,
  error: Error,
  sink: LineSink & SessionSink,
  receive: (raw: string) => LineOutcome,
  write: (line: object) => Promise<void>,
): void {
  const head = jsonHead(raw)
  sink.line(raw, () => {
    if (head.get("type") !== "result") throw error
    sink.error({ code: "stream_error", message: error.message })
    return receive(JSON.stringify(Object.fromEntries(head)))
  })
  refuseUnread(head, error, write)
}

/** A request that cannot be read, whole or as what it is. Answers the id that it was refused by. */
export function refuseUnread(
  head: ReturnType<typeof jsonHead>,
  error: unknown,
  write: (line: object) => Promise<void>,
): string | undefined {
  const request_id = head.get("request_id")
  if (head.get("type") !== "control_request" || typeof request_id !== "string") return undefined
  const response = { subtype: "error", request_id, error: error instanceof Error ? error.message : String(error) }
  ignoreGone(write({ type: "control_response", response }))
  return request_id
}

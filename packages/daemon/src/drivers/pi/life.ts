import type { LineOutcome, SessionSink } from "../../core/driver-sink.ts"
import type { LifeLine } from "./native.ts"

/** Known, and of no use to anyone who watches a session. */
const silent: readonly string[] = [
  ...["turn_start", "turn_end", "queue_update", "entry_appended", "bash_execution_update"],
  ...["auto_retry_end", "summarization_retry_attempt_start", "summarization_retry_finished"],
]

/** What Pi tells of its own life, as a note. */
export function lifeNote(line: LifeLine, sink: Pick<SessionSink, "status">): LineOutcome {
  if (silent.includes(line.type)) return
  switch (line.type) {
    case "compaction_start":
      return sink.status("compacting", line.reason)
    case "compaction_end":
      return sink.status("compacted", compacted(line))
    case "auto_retry_start":
    case "summarization_retry_scheduled":
      return sink.status("retry", retried(line))
    case "extension_error":
      return sink.status("extension_error", `${line.extensionPath}: ${line.event}: ${line.error}`)
    default:
      return "unknown"
  }
}

const retried = ({ attempt, maxAttempts, delayMs, errorMessage }: LifeLine): string =>
  `attempt ${attempt} of ${maxAttempts} after ${errorMessage ?? "an error"}, in ${delayMs} ms`

function compacted({ reason, aborted, errorMessage, result }: LifeLine): string {
  if (errorMessage !== undefined) return errorMessage
  if (aborted) return `${reason}, aborted`
  return `${reason}, from ${result?.tokensBefore ?? "?"} to ${result?.estimatedTokensAfter ?? "?"} tokens`
}

import { SandboxAgentError } from "@sandbox-agent/schema/error"
import type { Event } from "@sandbox-agent/schema/event"
import { limits } from "@sandbox-agent/schema/limits"
import { pastOf } from "../../core/messages.ts"
import type { Session } from "../../core/session.ts"
import { frame, jsonOf } from "../../store/frames.ts"
import type { LogReader, Run } from "../../store/reader.ts"
import { uniqueName } from "../http/pages-in-progress.ts"
import { withRaw } from "./include-raw.ts"

const encoder = new TextEncoder()
const DELTA = '"type":"item.delta"'

/**
 * The part of the log that is about one message: its own updates, and the turn that took it from its start to its end.
 * A message that was already final when it was posted again is followed from where its turn began; one whose end is no longer kept is gone.
 */
export function followMessage(s: Session, messageId: string, raws: LogReader | undefined) {
  const past = pastOf(s, messageId)
  /** Its end is told here at the latest, where it has one. */
  const until = past?.overBy ?? Number.POSITIVE_INFINITY
  const start = past && Math.max(s.log.first - 1, past.startedSeq - 1)
  if (start !== undefined && start >= until) throw notKept(s, messageId)
  /** The event that began the turn; what was before it is no part of it, also when it is read again. */
  let since = Number.POSITIVE_INFINITY
  const begins = (event: Event): boolean => {
    if (event.type === "message.updated")
      return event.data.message_id === messageId && event.data.state === "taken" && event.data.turn_id !== undefined
    if (event.type === "turn.started") return event.data.message_ids.includes(messageId)
    if (event.type !== "item.started") return false
    return event.data.item.message_id === messageId && event.data.item.turn_id !== undefined
  }
  const about = (event: Event, sequence: number): { pass: boolean; end: boolean } => {
    if (begins(event)) since = Math.min(since, sequence)
    if (event.type === "message.updated" && event.data.message_id === messageId)
      return { pass: true, end: event.data.state === "withdrawn" || event.data.state === "failed" }
    const inTurn = sequence >= since
    const end = event.type === "turn.ended" && event.data.message_ids.includes(messageId)
    const over = event.type === "session.ended" && !inTurn
    return { pass: inTurn || end, end: end || over }
  }
  return {
    start,
    // It knows where its turn began: what it makes is for its own reader.
    name: uniqueName(),
    of(run: Run): { bytes: Uint8Array | undefined; end: boolean; last: number } {
      const out: string[] = []
      let ended = false
      let size = 0
      let last = run.last
      const raw = raws?.texts(s.log, run.first - 1, run.last - run.first + 1)
      jsonOf(run.bytes, run.first).some((json, i) => {
        const sequence = run.first + i
        const verdict = json.includes(DELTA)
          ? { pass: sequence >= since, end: false }
          : about(JSON.parse(json) as Event, sequence)
        const text = raws === undefined ? json : withRaw(raws, s.log, { json, sequence, raw: raw?.[i]?.raw ?? 0 })
        if (verdict.pass) out.push(frame(sequence, text))
        ended = verdict.end
        size += text.length
        last = sequence
        // Many events may come from one native line, and each brings it along.
        return ended || size >= limits.eventsPageChars
      })
      raws?.forgetRaw()
      if (!ended && last >= until) throw notKept(s, messageId)
      return { bytes: out.length > 0 ? encoder.encode(out.join("")) : undefined, end: ended, last }
    },
  }
}

const notKept = (s: Session, messageId: string) =>
  new SandboxAgentError("gone", `the end of message ${messageId} is no longer kept`, {
    sessionId: s.record.id,
    firstSequence: s.log.first,
  })

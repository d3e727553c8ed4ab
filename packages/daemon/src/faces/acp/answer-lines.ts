import { messageState } from "../../core/messages.ts"
import type { Session } from "../../core/session.ts"
import type { Acp } from "./acp.ts"
import type { Connection } from "./connection.ts"
import type { Line } from "./entry.ts"
import { passthroughAnswer } from "./passthrough-answer.ts"
import type { FinalAnswer, Join } from "./projected.ts"
import { messageAnswer, turnAnswer } from "./projection/stop.ts"

/** Answers to prompts of a connection: what a turn's end, or a message's, means to whoever sent the message. */
export function answerLines(
  acp: Acp,
  connection: Connection,
  session: Session,
  joins: readonly Join[],
): (Line & { seq: number })[] {
  return joins.flatMap((join) =>
    finals(acp, session, join).flatMap(({ messageId, answer }, i) => {
      const call = acp.rows.callOf(connection.uid, messageId)
      if (call === undefined || call.uid !== session.record.uid) return []
      const json = JSON.stringify({ jsonrpc: "2.0", id: JSON.parse(call.id), ...answer })
      return [{ seq: join.seq, pos: join.pos, k: join.k + i, json, call: call.n }]
    }),
  )
}

/** The messages whose fate an event decides, and how a prompt is answered for it. */
export function finals(acp: Acp, s: Session, join: Join): readonly FinalAnswer[] {
  join.answers ??= finalsOf(acp, s, join)
  return join.answers
}

function finalsOf(acp: Acp, s: Session, { event, seq, raw }: Join): FinalAnswer[] {
  if (event.type === "message.updated") {
    const answer = messageAnswer(event.data)
    return answer === undefined ? [] : [{ messageId: event.data.message_id, answer }]
  }
  const { reader } = acp.services
  return event.data.message_ids
    .map((messageId) => ({
      messageId,
      answer: passthroughAnswer(reader, s, { raw, seq }, turnAnswer(event.data, messageId)),
    }))
    .filter(
      // One that failed or was withdrawn had its answer when that happened.
      ({ messageId }) => (messageState(s, messageId) ?? "taken") === "taken",
    )
}

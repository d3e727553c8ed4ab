import type { Event } from "@sandbox-agent/schema/event"

/** What the end of a turn, or of a message that got none, means for the exit code. */
export function exitOf(event: Event): number | undefined {
  if (event.type === "message.updated")
    return event.data.state === "failed" || event.data.state === "withdrawn" ? 1 : undefined
  if (event.type !== "turn.ended") return undefined
  const { stop_reason: reason } = event.data
  return reason === "end_turn" ? 0 : reason === "cancelled" ? 130 : 1
}

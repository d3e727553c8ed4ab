import type { Client } from "./client.ts"
import type { NativeEvent } from "./native.ts"
import type { SessionParts } from "./receive.ts"

/** Reads the current state and reports it as if it had just come as events: messages with their parts, open requests, and whether it is idle. */
export async function reread(
  client: Client,
  directory: string,
  { sink, conversations, turns, blocks, asks }: SessionParts,
  receive: (raw: string, event: NativeEvent) => void,
): Promise<void> {
  if (!turns.active) return
  const sessionID = conversations.main
  const params = { directory }
  const [status, permissions, questions, messages] = await Promise.all([
    client.call("GET /session/status", { params }),
    client.call("GET /permission", { params }),
    client.call("GET /question", { params }),
    client.call("GET /session/{sessionID}/message", { params: { sessionID } }),
  ])
  blocks.missed()
  const say = (event: NativeEvent) => receive(JSON.stringify({ directory, payload: event }), event)
  const time = Date.now()
  for (const { info, parts } of messages.filter(({ info }) => turns.concerns(info))) {
    // A finished answer comes last: with it its parts are complete.
    const open = info.role === "assistant" ? { ...info, time: { created: info.time.created } } : info
    say({ id: "", type: "message.updated", properties: { sessionID, info: open } })
    for (const part of parts) say({ id: "", type: "message.part.updated", properties: { sessionID, part, time } })
    say({ id: "", type: "message.updated", properties: { sessionID, info } })
  }
  const ours = <T extends { sessionID: string }>(asked: readonly T[]) =>
    asked.filter((one) => conversations.knows(one.sessionID))
  sink.line(JSON.stringify({ permissions, questions }), () => {
    asks.reconcile(ours(permissions), ours(questions))
  })
  const now = status[sessionID] ?? { type: "idle" as const }
  sink.line(JSON.stringify({ sessionID, status: now }), () => {
    if (now.type === "idle") turns.idle(true)
    else turns.busy()
  })
}

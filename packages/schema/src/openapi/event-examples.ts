import type { EventData, EventType } from "../event.ts"
import type { GlobalEventData, GlobalEventType } from "../global-event.ts"
import type { Item } from "../item.ts"
import type { Permission, Question } from "../request.ts"
import { eventName } from "./unions.ts"

const message: Item = {
  item_id: "item_1",
  turn_id: "turn_1",
  kind: "message",
  role: "assistant",
  status: "completed",
  content: [{ type: "text", text: "I will look at the test first." }],
}
const permission: Permission = {
  permission_id: "perm_1",
  action: "Bash",
  status: "requested",
  kind: "command",
  detail: { command: "npm test" },
  choices: ["once", "always", "reject"],
  turn_id: "turn_1",
}
const question: Question = {
  question_id: "q_1",
  prompt: "Which colour?",
  options: ["Red", "Blue"],
  status: "requested",
  questions: [
    {
      id: "colour",
      prompt: "Which colour?",
      type: "choice",
      options: [{ label: "Red" }, { label: "Blue" }],
      multi_select: false,
      allow_other: true,
    },
  ],
}
const usage = { input_tokens: 1840, output_tokens: 212, cached_tokens: 1536, cost_usd: 0.0091 }

const data: { readonly [T in EventType]: EventData<T> } = {
  "session.started": { metadata: { team: "payments" } },
  "session.updated": { status: "running" },
  "session.ended": { reason: "terminated", terminated_by: "daemon" },
  "message.updated": { message_id: "m-1", state: "taken", delivery: "queue", turn_id: "turn_1" },
  "turn.started": { phase: "started", turn_id: "turn_1", origin: "message", message_ids: ["m-1"] },
  "turn.ended": { phase: "ended", turn_id: "turn_1", message_ids: ["m-1"], stop_reason: "end_turn", usage },
  "item.started": { item: { ...message, status: "in_progress", content: [] } },
  "item.delta": { item_id: "item_1", delta: "I will look", part: { index: 0, type: "text" } },
  "item.completed": { item: message },
  "permission.requested": permission,
  "permission.resolved": { ...permission, status: "accept", by: "client" },
  "question.requested": question,
  "question.resolved": { ...question, status: "answered", response: "Red", answers: [["Red"]] },
  "plan.updated": { entries: [{ content: "Find the failing test", status: "in_progress" }] },
  "usage.updated": usage,
  error: { message: "the agent has no credentials", code: "unavailable" },
  "agent.unparsed": { error: "not JSON", location: "stdout" },
  "agent.native": { method: "_vendor/progress" },
}

const globalData: { readonly [T in GlobalEventType]: GlobalEventData<T> } = {
  "session.created": { agent: "claude" },
  "session.status": { status: "running" },
  "session.updated": { queued: 2 },
  "session.pending": { permissions: 1, questions: 0 },
  "session.ended": { reason: "terminated", terminated_by: "daemon" },
  "session.deleted": {},
}

/** Where in the log of one session each of them stands. */
const sequences: Readonly<Record<EventType, number>> = {
  "session.started": 1,
  "session.updated": 5,
  "turn.started": 7,
  "message.updated": 9,
  "plan.updated": 11,
  "item.started": 12,
  "item.delta": 13,
  "item.completed": 16,
  "permission.requested": 19,
  "permission.resolved": 20,
  "question.requested": 24,
  "question.resolved": 25,
  "agent.native": 27,
  "agent.unparsed": 28,
  "usage.updated": 33,
  "turn.ended": 34,
  error: 38,
  "session.ended": 40,
}

const globalSequences: Readonly<Record<GlobalEventType, number>> = {
  "session.created": 401,
  "session.status": 402,
  "session.updated": 404,
  "session.pending": 405,
  "session.ended": 418,
  "session.deleted": 419,
}

const began = Date.parse("2026-11-15T03:16:07.802Z")
const at = (sequence: number, first = 1) => ({
  event_id: `evt_1_${sequence}`,
  sequence,
  time: new Date(began + (sequence - first) * 370).toISOString(),
  session_id: "demo",
})
/** Those that the daemon makes itself. */
const ofDaemon: readonly EventType[] = [
  ...(["session.started", "session.updated", "turn.started"] as const),
  ...(["permission.resolved", "question.resolved", "session.ended"] as const),
]
const envelope = (type: EventType) => {
  const synthetic = ofDaemon.includes(type)
  return { ...at(sequences[type]), source: synthetic ? "daemon" : "agent", synthetic, type }
}

/** One event of every type of both logs, and the things most of them are about. */
export const eventExamples: Readonly<Record<string, readonly unknown[]>> = {
  Item: [message],
  Permission: [permission],
  Question: [question],
  ...Object.fromEntries(
    (Object.keys(data) as EventType[]).map((type) => [eventName(type), [{ ...envelope(type), data: data[type] }]]),
  ),
  ...Object.fromEntries(
    (Object.keys(globalData) as GlobalEventType[]).map((type) => [
      eventName(type, "Global"),
      [{ ...at(globalSequences[type], 401), type, data: globalData[type] }],
    ]),
  ),
}

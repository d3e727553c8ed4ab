import type { EventType } from "../../event.ts"
import type { GlobalEventType } from "../../global-event.ts"
import type { FieldWords, Words } from "./apply.ts"

export const envelopeWords: Words = {
  Event: { "": "One line of a session's log; `type` says what `data` is." },
  GlobalEvent: { "": "One line of the log of all sessions." },
  EventEnvelope: {
    "": "What every event has around its type and data.",
    event_id: "the same for every reader",
    session_id: "id of the session",
    native_session_id: "the agent's own id of the conversation, once it is known",
    source: "who said it",
    replayed: "from before a fork, a restore or an adoption",
  },
  GlobalEventEnvelope: {
    "": "What every event of the log of all sessions has.",
    event_id: "the same for every reader",
    session_id: "the session it is about",
  },
  StopReason: { "": "Why a turn ended." },
  EndReason: { "": "Why a session ended." },
  EndedBy: { "": "Who ended a session." },
}

const item = "the item as it is now"
const metadata = "more of the agent's"

/** What each type of event means, and its fields. */
export const eventWords: Readonly<Record<EventType, FieldWords>> = {
  "session.started": {
    "": "The session exists. Logged at create, and again when it is resumed.",
    metadata: "of the client",
    resumed: "it was ended and was brought back",
    forked_from: "the session it is a fork of",
    adopted: "the agent had it already",
  },
  "session.updated": {
    "": "Something about the session changed, and is in force. Only what changed is there.",
    title: "its title",
    agent_mode: "its agent mode",
    permission_mode: "its permission mode",
    model: "its model",
    variant: "effort of its model",
    commands: "slash commands that the agent takes",
    status: "what it does now",
    native_session_id: "the agent's own id of the conversation",
    agent_process: "whether the agent's process runs",
    background: "pieces of work that go on after their turn",
    metadata: "of the client",
  },
  "session.ended": {
    "": "The session has ended: terminated, deleted, or by the agent itself. Never by the agent's death.",
    reason: "why",
    terminated_by: "who ended it",
    message: "of an error",
    exit_code: "of the agent's process",
    stderr: "what the agent wrote to stderr last",
  },
  "message.updated": {
    "": "The fate of a message: queued, sending, taken, withdrawn or failed.",
    message_id: "id of the message",
    state: "its fate so far",
    delivery: "whether it waits for its turn or goes into the one that runs",
    position: "in the queue; 0 is next",
    turn_id: "the turn that takes it",
    error: "why it failed",
  },
  "turn.started": {
    "": "The agent begins to work.",
    phase: "always `started`",
    turn_id: "id of the turn",
    origin: "what began it: a message, the agent by itself, or a command of the client",
    message_ids: "messages that it takes",
    metadata,
  },
  "turn.ended": {
    "": "The agent is idle again. Every turn that started ends.",
    phase: "always `ended`",
    turn_id: "id of the turn",
    message_ids: "messages that it took",
    stop_reason: "why it ended",
    error: "of a turn that failed",
    forced: "the agent did not confirm the interrupt, and was stopped",
    usage: "of this turn",
    cost_usd: "of this turn",
    metadata,
  },
  "item.started": { "": "A block of the transcript begins.", item },
  "item.delta": {
    "": "A piece of an item's text. Append it, or begin again at `reset`.",
    item_id: "of the item",
    native_item_id: "the agent's own id",
    delta: "the piece",
    part: "which part it belongs to",
  },
  "item.completed": { "": "A block is whole. This is the truth, whatever deltas said.", item },
  "permission.requested": { "": "The agent asks whether it may do something, and its turn waits." },
  "permission.resolved": { "": "A permission was decided, by whomever." },
  "question.requested": { "": "The agent asks a person, and its turn waits." },
  "question.resolved": { "": "A question was answered, rejected or cancelled." },
  "plan.updated": { "": "The agent's plan, whole.", entries: "its steps, in order" },
  "usage.updated": { "": "Tokens and cost of the session so far." },
  error: {
    "": "Something failed that is not the end of a turn.",
    message: "what happened",
    code: "of the closed list, or the agent's own",
    details: "more about it",
  },
  "agent.unparsed": {
    "": "A line of the agent that is not its protocol; `raw` has it, unless it may be of another session.",
    error: "what is wrong with it",
    location: "where it came from",
    raw_hash: "of a line that was cut",
  },
  "agent.native": {
    "": "A line of the agent without universal meaning, kept in order.",
    method: "of the line",
  },
}

export const globalEventWords: Readonly<Record<GlobalEventType, FieldWords>> = {
  "session.created": { "": "A session was created.", agent: "id of its agent" },
  "session.status": { "": "The status of a session changed.", status: "what it does now" },
  "session.updated": {
    "": "Something else that lists of sessions show has changed.",
    changed: "what is to be read from the session itself",
    queued: "how many messages wait in its queue",
    background: "how many tasks its agent has in the background",
  },
  "session.pending": {
    "": "What waits for a person changed.",
    permissions: "how many permissions wait",
    questions: "how many questions wait",
  },
  "session.ended": { "": "A session has ended.", reason: "why", terminated_by: "who ended it" },
  "session.deleted": { "": "A session was deleted with its log." },
}

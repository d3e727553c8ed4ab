import type { PlanEntry } from "@sandbox-agent/schema/event"
import type { LineOutcome } from "../../core/driver-sink.ts"
import type { Conversation } from "./conversation.ts"
import { reportStatus } from "./mcp-servers.ts"
import type { Item, Line, Params } from "./native.ts"
import { errorOf } from "./outcome.ts"
import type { Thread } from "./thread.ts"
import { endAfterCommands, turnCompleted } from "./turn-end.ts"
import { usageOf } from "./usage.ts"

/** Reads a line of the session's own thread or of one below it. */
export function receive(c: Conversation, line: Line): LineOutcome {
  const { method = "" } = line
  const params = line.params ?? {}
  const thread = c.threadOf(params.threadId ?? params.thread?.id)
  if (thread === undefined) return line.id === undefined ? undefined : c.asks.notServed(line)
  if (line.id !== undefined) return c.asks.request(line, thread, thread !== c.main || c.turns.active === undefined)
  if (thread === c.main && c.mcp.receive(line, c.sink)) return
  const delta = deltas[method]
  if (delta !== undefined) return delta(thread, params)
  if (known.has(method)) return
  const handle = handlers[method]
  return handle === undefined ? "unknown" : handle(c, thread, params)
}

type Delta = (thread: Thread, params: Params) => void

const deltas: Readonly<Record<string, Delta>> = {
  "item/agentMessage/delta": ({ says }, { itemId = "", delta = "" }) => says.delta(itemId, "text", 0, delta),
  "item/plan/delta": ({ says }, { itemId = "", delta = "" }) => says.delta(itemId, "text", 0, delta),
  "item/reasoning/summaryTextDelta": ({ says }, { itemId = "", delta = "", summaryIndex = 0 }) =>
    says.delta(itemId, "summary", summaryIndex, delta),
  "item/reasoning/textDelta": ({ says }, { itemId = "", delta = "", contentIndex = 0 }) =>
    says.delta(itemId, "content", contentIndex, delta),
  "item/commandExecution/outputDelta": ({ commands }, { itemId = "", delta = "" }) => {
    commands.output(itemId, delta)
  },
}

type Handler = (c: Conversation, thread: Thread, params: Params) => LineOutcome

const handlers: Readonly<Record<string, Handler>> = {
  "item/started": (c, thread, { item }) => (item ? itemStarted(c, thread, item) : "unknown"),
  "item/completed": (c, thread, { item }) => (item ? itemCompleted(c, thread, item) : "unknown"),
  "rawResponseItem/completed": (_, thread, { item }) => {
    if (item !== undefined) thread.raw.take(item)
  },
  "turn/started": (c, thread, { turn }) => {
    if (turn === undefined) return
    thread.turn = turn.id
    if (thread === c.main) c.turns.started(turn)
    c.countBackground()
  },
  "turn/completed": (c, thread, { turn }) => {
    if (turn === undefined) return
    if (turn.status === "interrupted" && !thread.ending) endAfterCommands(c, thread, turn)
    else turnCompleted(c, thread, turn)
  },
  "turn/plan/updated": ({ sink, main }, thread, { plan = [] }) =>
    thread === main ? sink.plan(plan.map(entryOf)) : undefined,
  "turn/diff/updated": (c, thread, { diff }) => {
    if (thread === c.main) c.diff = diff
  },
  "thread/tokenUsage/updated": (c, thread, { tokenUsage }) => {
    const { sink, main } = c
    thread.says.next()
    // A resumed thread tells once more what its last turn used.
    if (tokenUsage === undefined || thread.turn === undefined) return
    const used = () => sink.usage(usageOf(tokenUsage, thread === main))
    if (thread === main) c.afterCalls(used)
    else used()
  },
  error: (c, thread, { error, willRetry }) => {
    if (typeof error !== "object" || error === null) return "unknown"
    if (willRetry) {
      thread.says.retry()
      return c.sink.status("retry", error.message)
    }
    c.sink.error({ ...errorOf(error), details: error.additionalDetails ?? undefined })
    if (thread === c.main) c.failure = error
  },
  "serverRequest/resolved": ({ asks }, _, { requestId }) => asks.resolved(requestId),
  "thread/name/updated": ({ sink, main }, thread, { threadName }) =>
    thread === main && threadName ? sink.session({ title: threadName }) : undefined,
  "mcpServer/startupStatus/updated": ({ sink }, _, params) => reportStatus(sink, params),
  "model/rerouted": ({ sink }, _, { toModel }) => sink.status("model_rerouted", toModel),
  "hook/completed": ({ sink }, _, { run }) =>
    sink.status("hook", [run?.eventName, run?.status, run?.statusMessage].filter(Boolean).join(" ")),
  warning: ({ sink }, _, { message }) => sink.status("warning", message),
  guardianWarning: ({ sink }, _, { message }) => sink.status("warning", message),
  configWarning: ({ sink }, _, { summary }) => sink.status("warning", summary),
  "item/mcpToolCall/progress": ({ sink }, _, { message }) => sink.status("mcp_progress", message),
  "thread/closed": (c, thread) => {
    if (thread === c.main) c.member.unloaded()
  },
}

function itemStarted(c: Conversation, thread: Thread, item: Item): LineOutcome {
  if (item.type === "userMessage") {
    // A steered message cuts off what was being said.
    thread.says.cut()
    return thread === c.main ? c.turns.take(item.clientId) : undefined
  }
  if (item.type === "subAgentActivity") return c.children.activity(item, thread)
  const isKnown = thread.started(item)
  if (item.type === "collabAgentToolCall") c.children.spawned(item, thread)
  return isKnown ? undefined : "unknown"
}

function itemCompleted(c: Conversation, thread: Thread, item: Item): LineOutcome {
  if (item.type === "subAgentActivity") return
  const isKnown = thread.completed(item)
  if (item.type === "collabAgentToolCall") c.children.spawned(item, thread)
  if (item.type === "userMessage" || item.type === "agentMessage") c.noteDurable()
  if (item.type === "commandExecution") c.countBackground()
  return isKnown ? undefined : "unknown"
}

const entryOf = ({ step, status }: { step: string; status: string }): PlanEntry => ({
  content: step,
  status: status === "completed" ? "completed" : status === "inProgress" ? "in_progress" : "pending",
})

/** Means nothing to us, or is known in another way. */
const known: ReadonlySet<string> = new Set([
  ...["thread/started", "thread/status/changed", "thread/readState/changed", "thread/settings/updated"],
  ...["thread/archived", "thread/unarchived", "thread/deleted", "thread/reverted", "thread/compacted"],
  ...["thread/goal/updated", "thread/goal/cleared", "thread/queue/changed", "thread/attachment/updated"],
  ...["thread/prediction/updated", "thread/project/updated", "thread/environment/connected"],
  ...["thread/environment/disconnected", "turn/moderationMetadata", "item/reasoning/summaryPartAdded"],
  ...["item/commandExecution/terminalInteraction", "item/fileChange/outputDelta", "item/fileChange/patchUpdated"],
  ...["item/autoApprovalReview/started", "item/autoApprovalReview/completed", "hook/started", "rawResponse/completed"],
  ...["autoApprovalReview/strictReviewRequired", "model/verification", "model/safetyBuffering/updated"],
  ...["modelProvider/authRecoveryStarted", "modelProvider/authRecoveryCompleted", "deprecationNotice"],
  ...["account/rateLimits/updated", "mcpServer/oauthLogin/completed"],
])

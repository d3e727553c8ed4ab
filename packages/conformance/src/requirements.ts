import type { Capability } from "@sandbox-agent/schema/agent"

export interface Requirement {
  id: string
  text: string
  /** An agent that declares this must meet it, one that does not must not. */
  capability: Capability
}

const of = <const C extends Capability, const R extends Record<string, string>>(capability: C, rows: R) =>
  Object.entries(rows).map(([id, text]) => ({ id: id as keyof R & string, text, capability }))

/** Everything an agent behind the API has to do, as data. The part before the dot groups them in the matrix. */
export const requirements = [
  ...of("textMessages", {
    "text.answer": "a message is answered with the text of the agent",
    "text.turns": "turns follow each other in one session",
    "message.queue": "messages wait for the running turn and go in their order",
    "message.withdraw": "a waiting message can be withdrawn",
  }),
  ...of("streamingDeltas", { "text.deltas": "text is streamed in deltas" }),
  ...of("reasoning", { "reasoning.streamed": "reasoning is streamed and marked as such" }),
  ...of("toolCalls", { "tool.call": "a tool call is shown with its arguments" }),
  ...of("toolResults", { "tool.result": "a tool call gets its result" }),
  ...of("commandExecution", {
    "command.output": "the output of a command is its result",
    "command.failure": "a command that fails says so, and the turn goes on",
  }),
  ...of("fileChanges", { "file.change": "a file change is on disk and shown with its diff" }),
  ...of("permissions", {
    "permission.once": "a permission given once lets the tool run once",
    "permission.always": "a permission given always is not asked again in this session, and only in this one",
    "permission.kept": "a permission given always holds after the daemon was killed",
    "permission.reject": "a rejected permission refuses the tool with the message, and the model goes on",
    "permission.words": "the words of a rejected permission reach the model",
    "mode.default": "permission mode default asks, before a command and before a file is written",
    "mode.every": "permission mode default asks in every agent mode that can be chosen; none is listed that asks less",
    "mode.acceptEdits": "permission mode acceptEdits lets files be written and asks for the rest",
    "mode.plan": "permission mode plan cannot write, neither by edit nor by command",
    "mode.bypass": "permission mode bypass never asks",
  }),
  ...of("questions", {
    "question.single": "a question is answered with one of its choices",
    "question.multi": "a question is answered with several choices",
    "question.several": "several questions are answered at once",
    "question.text": "a question is answered in one's own words",
    "question.bypass": "a question comes also in permission mode bypass",
    "question.reject": "a rejected question goes back to the agent, and the model goes on",
    "question.words": "the words of a rejected question reach the model",
  }),
  ...of("planApproval", {
    "approval.approve": "an approved plan leaves permission mode plan",
    "approval.reject": "a rejected plan takes the message back to the agent",
  }),
  ...of("modes", {
    "setting.mode": "agent modes are listed and switched, the model is told, an unknown one is refused",
    "setting.independent": "agent mode plan is in force, and restricts nothing by itself",
  }),
  ...of("models", { "setting.model": "models are listed and switched" }),
  ...of("variants", { "setting.variant": "variants of a model are listed and switched" }),
  ...of("images", { "attachment.image": "an image reaches the agent and stands in the transcript" }),
  ...of("fileAttachments", {
    "attachment.file": "an attached file reaches the agent, as its content or its path, and stands in the transcript",
  }),
  ...of("mcpTools", {
    "mcp.tool": "a tool of an MCP server given at create is called",
    "mcp.config": "an MCP server configured for the directory is called",
    "mcp.broken": "an MCP server that does not start is told as a status, and the session goes on",
  }),
  ...of("sessionLifecycle", { "skills.config": "skills configured for the directory are offered to the model" }),
  ...of("subagents", { "subagent.parent": "what a sub-agent does hangs on the call that started it" }),
  ...of("plans", { "plan.updates": "a plan is told as it changes" }),
  ...of("usage", { "usage.totals": "usage is told as it grows, and with the turn" }),
  ...of("interrupt", {
    "interrupt.text": "a text is interrupted and keeps what was said",
    "interrupt.tool": "a running tool is interrupted and its call gets a result",
  }),
  ...of("steer", { "message.steer": "a steered message is taken by the running turn or by the next one" }),
  ...of("resume", {
    "resume.agent": "after kill -9 of the agent its turn ends, and the next message resumes it",
    "resume.daemon": "after kill -9 of the daemon the log is whole and the session goes on",
    "resume.terminated": "a terminated session is brought back, and its log goes on",
  }),
  ...of("permissions", {
    "resume.request": "what was asked when agent or daemon was killed is resolved, and the session goes on",
  }),
  ...of("fork", { "fork.head": "a fork has the items so far and goes its own way" }),
  ...of("sessionLifecycle", {
    "memory.gone": "an agent whose own memory of a session is gone is told of it, and the session goes on",
    "memory.killed": "an agent killed before it could write anything still knows what it was asked",
    "memory.ended": "an ended session goes on with what was said, whether its agent can resume or not",
    "memory.fork": "a session goes on with a given agent, from any finished turn",
  }),
  ...of("sharedProcess", { "process.shared": "sessions share one process, and the end of one leaves the other" }),
  ...of("errorEvents", {
    "error.turn": "an error of the agent ends the turn, not the session",
    "error.unauthorized": "a refused key (401) ends the turn with an error",
    "error.retried": "a model without time (429) is asked again, and the turn ends well",
    "error.cut": "a stream that is cut is asked for again, and its half is not the answer",
    "error.unreachable": "a model that is down ends the turn with an error",
  }),
  ...of("status", { "status.notes": "notes of the agent's own life are status items with its name" }),
  ...of("sessionLifecycle", {
    "log.envelope": "events are numbered without a gap, in time, of their schema; status is what is due",
    "log.turns": "one turn at a time, and each that started ends",
    "log.requests": "every permission and question is resolved once",
    "log.messages": "every message reaches a final state and appears as an item where it was taken",
    "log.ended": "a session ends when it is told to and not before",
    "log.unparsed": "nothing the agent wrote was unparsed, and its driver caused no fault",
    "log.raw": "every event of the agent has its native lines, shown to who asks for them",
  }),
  ...of("itemStarted", { "log.items": "each item is started and completed once, inside its turn" }),
  ...of("streamingDeltas", { "log.fold": "the deltas of each text add up to the text" }),
  ...of("toolResults", { "log.results": "every tool call has a result before its turn ends" }),
] as const satisfies readonly Requirement[]

export type RequirementId = (typeof requirements)[number]["id"]

const byId = new Map<string, Requirement>(requirements.map((one) => [one.id, one]))
export function requirement(id: RequirementId): Requirement {
  const found = byId.get(id)
  if (found === undefined) throw new Error(`no requirement ${id}`)
  return found
}

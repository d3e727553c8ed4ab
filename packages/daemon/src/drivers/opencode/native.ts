import type * as gen from "./native.gen.ts"

/** What `/global/event` sends: an event of some directory. Those marked `sync` repeat others for storage. */
export interface Envelope {
  directory?: string
  payload: NativeEvent | { type: string; properties?: { sessionID?: string } }
}

export type NativeEvent =
  | gen.EventSessionCreated
  | gen.EventSessionUpdated
  | gen.EventSessionDeleted
  | gen.EventSessionStatus
  | gen.EventSessionIdle
  | gen.EventSessionError
  | gen.EventSessionDiff
  | gen.EventSessionCompacted
  | gen.EventMessageUpdated
  | gen.EventMessageRemoved
  | gen.EventMessagePartUpdated
  | gen.EventMessagePartDelta
  | gen.EventMessagePartRemoved
  | gen.EventPermissionAsked
  | gen.EventPermissionReplied
  | gen.EventQuestionAsked
  | gen.EventQuestionReplied
  | gen.EventQuestionRejected
  | gen.EventTodoUpdated
  | gen.EventCommandExecuted

export type NativeError = NonNullable<gen.EventSessionError["properties"]["error"]>
export type Rule = gen.PermissionRuleset[number]
export type PromptBody = gen.Requests["POST /session/{sessionID}/prompt_async"]["body"]
export type PromptPart = PromptBody["parts"][number]
export type MessageWithParts = gen.Requests["GET /session/{sessionID}/message"]["result"][number]

export type {
  Agent,
  AssistantMessage,
  Command,
  Config,
  FilePart,
  Message,
  Part,
  PermissionRequest,
  Provider,
  QuestionInfo,
  QuestionRequest,
  ReasoningPart,
  Requests,
  Session,
  SessionStatus,
  StepFinishPart,
  TextPart,
  Todo,
  ToolPart,
  UserMessage,
} from "./native.gen.ts"

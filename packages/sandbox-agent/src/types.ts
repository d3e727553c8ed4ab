import type { components, operations } from "./openapi.gen.ts"

type Schemas = components["schemas"]
export type OperationId = keyof operations

/** What may follow the `?` of an operation. */
export type QueryOf<Id extends OperationId> = NonNullable<operations[Id]["parameters"]["query"]>
/** The JSON an operation takes. */
export type BodyOf<Id extends OperationId> = operations[Id] extends {
  requestBody?: { content: { "application/json": infer Body } }
}
  ? Body
  : never
/** The JSON an operation answers with. */
export type AnswerOf<Id extends OperationId> = {
  [Status in keyof operations[Id]["responses"]]: operations[Id]["responses"][Status] extends {
    content: { "application/json": infer Answer }
  }
    ? Answer
    : never
}[keyof operations[Id]["responses"]]
/** One event of an operation that streams. */
export type StreamOf<Id extends OperationId> = operations[Id]["responses"] extends {
  200: { content: { "text/event-stream": infer Event } }
}
  ? Event
  : never

export type Agent = Schemas["Agent"]
export type AgentError = Schemas["AgentError"]
export type Attachment = Schemas["Attachment"]
export type CancelledTurn = Schemas["CancelledTurn"]
export type Capabilities = Schemas["Capabilities"]
export type Command = Schemas["Command"]
export type ContentPart = Schemas["ContentPart"]
export type CreatedSession = Schemas["CreatedSession"]
export type CreateSessionRequest = Schemas["CreateSessionRequest"]
export type ErrorCode = Schemas["ErrorCode"]
/** One line of a session's log; `type` says what `data` is. */
export type Event = Schemas["Event"]
export type EventType = Event["type"]
export type EventOf<Type extends EventType> = Extract<Event, { type: Type }>
export type FileChange = Schemas["FileChange"]
export type FileEntry = Schemas["FileEntry"]
export type FileStat = Schemas["FileStat"]
export type ForkedSession = Schemas["ForkedSession"]
export type ForkSessionRequest = Schemas["ForkSessionRequest"]
export type GlobalEvent = Schemas["GlobalEvent"]
export type Health = Schemas["Health"]
export type InstallProgress = Schemas["InstallProgressEvent"]
export type InstallRequest = Schemas["InstallRequest"]
export type InstallResult = Schemas["InstallResult"]
export type Item = Schemas["Item"]
export type McpServer = Schemas["McpServer"]
export type Metadata = Schemas["Metadata"]
export type Mode = Schemas["Mode"]
export type Model = Schemas["Model"]
export type NativeState = Schemas["NativeState"]
export type Permission = Schemas["Permission"]
export type PermissionMode = Schemas["PermissionMode"]
export type PermissionReply = Schemas["PermissionReply"]
export type PlanEntry = Schemas["PlanEntry"]
export type PostedMessage = Schemas["PostedMessage"]
export type PostMessageRequest = Schemas["PostMessageRequest"]
/** RFC 7807, with what else the daemon says of this error beside it. */
export type Problem = Schemas["Problem"] & Record<string, unknown>
export type Process = Schemas["Process"]
export type ProcessLogEntry = Schemas["ProcessLogEntry"]
export type Question = Schemas["Question"]
export type QueuedMessage = Schemas["QueuedMessage"]
export type RanProcess = Schemas["RanProcess"]
export type RestoredSession = Schemas["RestoredSession"]
export type RestoreSessionRequest = Schemas["RestoreSessionRequest"]
export type SearchEvent = Schemas["SearchEvent"]
/** What the daemon tells of a session; `Session` is the object that acts on one. */
export type SessionInfo = Schemas["Session"]
export type SessionStatus = Schemas["SessionStatus"]
export type Skill = Schemas["Skill"]
export type StopReason = Schemas["StopReason"]
export type TurnFailure = Schemas["TurnError"]
export type UpdatedSession = Schemas["UpdatedSession"]
export type UpdateSessionRequest = Schemas["UpdateSessionRequest"]
export type Usage = Schemas["Usage"]

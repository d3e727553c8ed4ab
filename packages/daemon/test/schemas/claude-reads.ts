import type * as theirs from "../../src/drivers/claude/native.gen.ts"
import type * as ours from "../../src/drivers/claude/native.ts"

/** What Claude Code's package says it writes can be read as our driver reads it; checked by the compiler. */
type Read<Native, Ours> = [Native] extends [Ours] ? true : { native: Native; ours: Ours }

type System =
  | theirs.SDKSystemMessage
  | theirs.SDKStatusMessage
  | theirs.SDKAPIRetryMessage
  | theirs.SDKCompactBoundaryMessage
  | theirs.SDKInformationalMessage
  | theirs.SDKPermissionDeniedMessage
  | theirs.SDKTaskStartedMessage
  | theirs.SDKTaskProgressMessage
  | theirs.SDKTaskUpdatedMessage
  | theirs.SDKTaskNotificationMessage
  | theirs.SDKBackgroundTasksChangedMessage
  | theirs.SDKCommandsChangedMessage
  | theirs.SDKLocalCommandOutputMessage
  | theirs.SDKSessionStateChangedMessage
  | theirs.SDKThinkingTokensMessage
type User = theirs.SDKUserMessage | theirs.SDKUserMessageReplay
type Result = theirs.SDKResultSuccess | theirs.SDKResultError
type Request = ours.ControlRequestLine["request"]
type Plain =
  | theirs.SDKConversationResetMessage
  | theirs.SDKControlCancelRequest
  | theirs.SDKAuthStatusMessage
  | theirs.SDKKeepAliveMessage
  | theirs.SDKToolUseSummaryMessage
  | theirs.SDKPromptSuggestionMessage

export const read: {
  assistant: Read<theirs.SDKAssistantMessage, ours.AssistantLine>
  user: Read<User, ours.UserLine>
  stream: Read<theirs.SDKPartialAssistantMessage, ours.StreamLine>
  system: Read<System, ours.SystemLine>
  result: Read<Result, ours.ResultLine>
  toolProgress: Read<theirs.SDKToolProgressMessage, ours.ToolProgressLine>
  rateLimit: Read<theirs.SDKRateLimitEvent, ours.RateLimitLine>
  plain: Read<Plain, ours.Line>
  controlResponse: Read<theirs.SDKControlResponse, ours.ControlResponseLine>
  canUseTool: Read<theirs.SDKControlPermissionRequest, Request>
  elicitation: Read<theirs.SDKControlElicitationRequest, Request>
  initialized: Read<theirs.SDKControlInitializeResponse, ours.Initialized>
} = {
  ...{ assistant: true, user: true, stream: true, system: true, result: true, toolProgress: true, rateLimit: true },
  ...{ plain: true, controlResponse: true, canUseTool: true, elicitation: true, initialized: true },
}

/** Names that we read and no type of the package has: seen on the wire all the same. */
type Undeclared<Native, Ours> = Exclude<Keys<Ours>, Keys<Native>>
type Keys<T> = T extends unknown ? keyof T : never
type Same<Left, Right> = [Left] extends [Right] ? ([Right] extends [Left] ? true : { missing: Right }) : { found: Left }
type Types = theirs.Messages[keyof theirs.Messages]["params"]["type"]
type RateInfo = NonNullable<ours.RateLimitLine["rate_limit_info"]>

export const undeclared: {
  assistant: Same<Undeclared<theirs.SDKAssistantMessage, ours.AssistantLine>, "api_error" | "tool_use_meta">
  message: Same<Undeclared<theirs.BetaMessage, ours.AssistantLine["message"]>, never>
  block: Same<Undeclared<theirs.BetaContentBlock | theirs.ContentBlockParam, ours.Block>, never>
  delta: Same<Undeclared<theirs.BetaRawContentBlockDelta, ours.BlockDelta>, never>
  user: Same<Undeclared<User, ours.UserLine>, never>
  // `title` is of `session_title_changed`, which is not among the types either.
  system: Same<Undeclared<System, ours.SystemLine>, "text" | "title" | "user_message_uuids">
  result: Same<Undeclared<Result, ours.ResultLine>, "api_error" | "model_usage_since_last_result">
  modelUsage: Same<Undeclared<theirs.ModelUsage, ours.ModelUsage>, never>
  rateLimit: Same<Undeclared<theirs.SDKRateLimitInfo, RateInfo>, never>
  toolAsk: Same<Undeclared<theirs.SDKControlPermissionRequest, ours.ToolAsk>, never>
  elicitation: Same<Undeclared<theirs.SDKControlElicitationRequest, ours.Elicitation>, never>
  command: Same<Undeclared<theirs.SlashCommand, ours.Command>, never>
  model: Same<Undeclared<theirs.ModelInfo, ours.NativeModel>, never>
  types: Same<Exclude<ours.Line["type"], Types>, "command_lifecycle">
} = {
  ...{ assistant: true, message: true, block: true, delta: true, user: true, system: true, result: true },
  ...{ modelUsage: true, rateLimit: true, toolAsk: true, elicitation: true, command: true, model: true, types: true },
}

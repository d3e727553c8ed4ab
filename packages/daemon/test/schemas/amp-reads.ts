import type * as theirs from "../../src/drivers/amp/native.gen.ts"
import type * as ours from "../../src/drivers/amp/native.ts"

/** What Amp's package says it writes can be read as our driver reads it; checked by the compiler. */
type Read<Native, Ours> = [Native] extends [Ours] ? true : { native: Native; ours: Ours }

type Result = theirs.ResultMessage | theirs.ErrorResultMessage

export const read: {
  init: Read<theirs.SystemMessage, ours.InitLine>
  user: Read<theirs.UserMessage, ours.UserLine>
  assistant: Read<theirs.AssistantMessage, ours.AssistantLine>
  result: Read<Result, ours.ResultLine>
} = { init: true, user: true, assistant: true, result: true }

/** Names that we read and no type of the package has: seen on the wire all the same. */
type Undeclared<Native, Ours> = Exclude<Keys<Ours>, Keys<Native>>
type Keys<T> = T extends unknown ? keyof T : never
type Same<Left, Right> = [Left] extends [Right] ? ([Right] extends [Left] ? true : { missing: Right }) : { found: Left }
type Blocks = theirs.TextContent | theirs.ToolUseContent | theirs.ToolResultContent

export const undeclared: {
  init: Same<Undeclared<theirs.SystemMessage, ours.InitLine>, "agent_mode">
  result: Same<Undeclared<Result, ours.ResultLine>, never>
  block: Same<Undeclared<Blocks, ours.Block>, "thinking">
  usage: Same<Undeclared<theirs.Usage, ours.TokenUsage>, "max_tokens">
} = { init: true, result: true, block: true, usage: true }

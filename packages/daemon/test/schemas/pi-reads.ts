import type * as theirs from "../../src/drivers/pi/native.gen.ts"
import type * as ours from "../../src/drivers/pi/native.ts"

/** What Pi's package says it writes can be read as our driver reads it; checked by the compiler. */
type Read<Native, Ours> = [Native] extends [Ours] ? true : { native: Native; ours: Ours }

type Event<Name extends keyof theirs.Events> = theirs.Events[Name]["params"]
type Tool = Event<"tool_execution_start" | "tool_execution_update" | "tool_execution_end">
/** What tools say is declared as anything at all. */
type Plain<T> = T extends unknown ? Omit<T, "result" | "partialResult"> : never
type Life = Event<Extract<keyof theirs.Events, ours.LifeLine["type"]>>
type Dialog = theirs.ExtensionRequests[keyof theirs.ExtensionRequests]["params"]

export const read: {
  message: Read<Event<"message_start" | "message_end">, ours.MessageLine>
  update: Read<Event<"message_update">, ours.UpdateLine>
  tool: Read<Plain<Tool>, Plain<ours.ToolLine>>
  life: Read<Life, ours.LifeLine>
  dialog: Read<Dialog, ours.DialogLine>
  state: Read<theirs.RpcSessionState, ours.State>
  model: Read<theirs.Model, ours.NativeModel>
  command: Read<theirs.RpcSlashCommand, ours.NativeCommand>
} = { message: true, update: true, tool: true, life: true, dialog: true, state: true, model: true, command: true }

/** Names that we read and no type of the package has: seen on the wire all the same. */
type Undeclared<Native, Ours> = Exclude<Keys<Ours>, Keys<Native>>
type Keys<T> = T extends unknown ? keyof T : never
type Same<Left, Right> = [Left] extends [Right] ? ([Right] extends [Left] ? true : { missing: Right }) : { found: Left }
type Blocks = theirs.TextContent | theirs.ThinkingContent | theirs.ToolCall | theirs.ImageContent

export const undeclared: {
  update: Same<Undeclared<theirs.AssistantMessageEvent, ours.Update>, "id" | "toolName">
  tool: Same<Undeclared<Tool, ours.ToolLine>, never>
  life: Same<Undeclared<Life, ours.LifeLine>, "extensionPath" | "event" | "error">
  dialog: Same<Undeclared<Dialog, ours.DialogLine>, never>
  block: Same<Undeclared<Blocks, ours.Block>, never>
  usage: Same<Undeclared<theirs.Usage, ours.TokenUsage>, never>
  message: Same<Undeclared<theirs.AgentMessage, ours.Message>, never>
} = { update: true, tool: true, life: true, dialog: true, block: true, usage: true, message: true }

import { isObject, type JsonObject, type JsonValue, listAt, numberAt, objectAt, stringAt } from "../json.ts"
import type { ImageSeen, Message, RequestContent, ToolResultSeen } from "../request.ts"
import { emptyMessage, nameResults, withText } from "./message.ts"

export function readAnthropic(body: JsonObject): RequestContent {
  return {
    model: stringAt(body, "model") ?? "",
    system: textsOf(body.system).join("\n"),
    messages: nameResults(listAt(body, "messages").map(readMessage)),
    tools: listAt(body, "tools").flatMap((tool) => stringAt(tool, "name") ?? []),
    effort: stringAt(objectAt(body, "output_config"), "effort"),
    thinking: isObject(body.thinking) ? body.thinking : undefined,
    maxTokens: numberAt(body, "max_tokens"),
    stream: body.stream === true,
  }
}

function readMessage(value: JsonValue): Message {
  const said = stringAt(value, "role")
  // Claude Code sends reminders and mid-turn messages with the role `system`.
  const message = emptyMessage(said === "assistant" || said === "system" ? said : "user")
  const content = isObject(value) ? value.content : undefined
  for (const text of textsOf(content)) message.texts.push(text)
  for (const block of Array.isArray(content) ? content : []) {
    const type = stringAt(block, "type")
    if (type === "tool_use") message.toolCalls.push(toolCall(block))
    if (type === "tool_result") message.toolResults.push(toolResult(block))
    if (type === "image") message.images.push(image(block))
  }
  if (message.role === "user" && message.toolResults.length > 0 && message.texts.length === 0) message.role = "tool"
  return withText(message)
}

function textsOf(content: JsonValue | undefined): string[] {
  if (typeof content === "string") return [content]
  if (!Array.isArray(content)) return []
  return content.flatMap((block) => (stringAt(block, "type") === "text" ? (stringAt(block, "text") ?? []) : []))
}

function toolCall(block: JsonValue) {
  return {
    id: stringAt(block, "id") ?? "",
    name: stringAt(block, "name") ?? "",
    input: (isObject(block) ? block.input : undefined) ?? {},
  }
}

function toolResult(block: JsonValue): ToolResultSeen {
  const content = isObject(block) ? block.content : undefined
  const images = Array.isArray(content) ? content.filter((item) => stringAt(item, "type") === "image") : []
  return {
    id: stringAt(block, "tool_use_id") ?? "",
    name: undefined,
    text: textsOf(content).join("\n"),
    isError: isObject(block) && block.is_error === true,
    images: images.map(image),
  }
}

function image(block: JsonValue): ImageSeen {
  const source = objectAt(block, "source")
  return {
    mediaType: stringAt(source, "media_type"),
    data: stringAt(source, "data"),
    url: stringAt(source, "url"),
  }
}

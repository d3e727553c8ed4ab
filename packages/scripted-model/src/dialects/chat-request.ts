import { isObject, type JsonObject, type JsonValue, listAt, numberAt, objectAt, stringAt } from "../json.ts"
import type { Message, RequestContent } from "../request.ts"
import { emptyMessage, imageOf, inputOf, nameResults, withText } from "./message.ts"

export function readChat(body: JsonObject): RequestContent {
  const messages = mergeTools(listAt(body, "messages").map(readMessage))
  return {
    model: stringAt(body, "model") ?? "",
    system: messages.flatMap((message) => (message.role === "system" ? message.texts : [])).join("\n"),
    messages: nameResults(messages),
    tools: listAt(body, "tools").flatMap((tool) => stringAt(objectAt(tool, "function"), "name") ?? []),
    effort: stringAt(body, "reasoning_effort"),
    thinking: isObject(body.thinking) ? body.thinking : undefined,
    maxTokens: numberAt(body, "max_completion_tokens") ?? numberAt(body, "max_tokens"),
    stream: body.stream === true,
  }
}

function readMessage(value: JsonValue): Message {
  const role = stringAt(value, "role")
  const message = emptyMessage(roleOf(role))
  const content = isObject(value) ? value.content : undefined
  if (typeof content === "string" && content !== "") message.texts.push(content)
  for (const part of Array.isArray(content) ? content : []) {
    const text = stringAt(part, "text")
    const url = stringAt(objectAt(part, "image_url"), "url")
    if (text !== undefined) message.texts.push(text)
    if (url !== undefined) message.images.push(imageOf(url))
  }
  for (const call of listAt(value, "tool_calls")) {
    const called = objectAt(call, "function")
    message.toolCalls.push({
      id: stringAt(call, "id") ?? "",
      name: stringAt(called, "name") ?? "",
      input: inputOf(stringAt(called, "arguments") ?? ""),
    })
  }
  if (role !== "tool") return withText(message)
  const result = {
    id: stringAt(value, "tool_call_id") ?? "",
    name: undefined,
    text: message.texts.join("\n"),
    isError: false,
    images: message.images,
  }
  return { ...emptyMessage("tool"), toolResults: [result] }
}

function roleOf(role: string | undefined): Message["role"] {
  if (role === "assistant" || role === "tool") return role
  return role === "system" || role === "developer" ? "system" : "user"
}

// Chat Completions has one message per result, the other dialects one for all.
function mergeTools(messages: Message[]): Message[] {
  const merged: Message[] = []
  for (const message of messages) {
    const last = merged.at(-1)
    if (message.role === "tool" && last?.role === "tool") last.toolResults.push(...message.toolResults)
    else merged.push(message)
  }
  return merged
}

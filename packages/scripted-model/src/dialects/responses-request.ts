import { isObject, type JsonObject, type JsonValue, numberAt, objectAt, stringAt } from "../json.ts"
import type { Message, RequestContent, ToolResultSeen } from "../request.ts"
import { emptyMessage, imageOf, inputOf, nameResults, withText } from "./message.ts"
import { toolEntries } from "./responses-tools.ts"

export function readResponses(body: JsonObject): RequestContent {
  const messages = readInput(body.input)
  const instructions = stringAt(body, "instructions")
  const system = messages.flatMap((message) => (message.role === "system" ? message.texts : []))
  return {
    model: stringAt(body, "model") ?? "",
    system: [...(instructions === undefined ? [] : [instructions]), ...system].join("\n"),
    messages: nameResults(messages),
    tools: toolEntries(body).map(({ fullName }) => fullName),
    effort: stringAt(objectAt(body, "reasoning"), "effort"),
    thinking: isObject(body.reasoning) ? body.reasoning : undefined,
    maxTokens: numberAt(body, "max_output_tokens"),
    stream: body.stream === true,
  }
}

function readInput(input: JsonValue | undefined): Message[] {
  if (typeof input === "string") return [withText({ ...emptyMessage("user"), texts: [input] })]
  const messages: Message[] = []
  // One answer of the model comes back as several items: they are one message again.
  const lastOf = (role: "assistant" | "tool") => {
    const last = messages.at(-1)
    if (last?.role === role) return last
    const added = emptyMessage(role)
    messages.push(added)
    return added
  }
  for (const item of Array.isArray(input) ? input : []) {
    const type = stringAt(item, "type") ?? "message"
    if (type === "message") {
      const role = roleOf(stringAt(item, "role"))
      if (role === "assistant") addContent(lastOf("assistant"), item)
      else messages.push(addContent(emptyMessage(role), item))
    } else if (type === "function_call" || type === "custom_tool_call") {
      lastOf("assistant").toolCalls.push(toolCall(item))
    } else if (type.endsWith("_call_output")) {
      lastOf("tool").toolResults.push(toolResult(item))
    }
  }
  return messages.map(withText)
}

function addContent(message: Message, item: JsonValue): Message {
  const content = isObject(item) ? item.content : undefined
  if (typeof content === "string") message.texts.push(content)
  for (const part of Array.isArray(content) ? content : []) {
    const text = stringAt(part, "text")
    const url = stringAt(part, "image_url")
    if (text !== undefined) message.texts.push(text)
    if (url !== undefined) message.images.push(imageOf(url))
  }
  return message
}

function toolCall(item: JsonValue) {
  const namespace = stringAt(item, "namespace")
  const name = stringAt(item, "name") ?? ""
  return {
    id: stringAt(item, "call_id") ?? "",
    name: namespace === undefined ? name : `${namespace}__${name}`,
    input: stringAt(item, "input") ?? inputOf(stringAt(item, "arguments") ?? ""),
  }
}

function toolResult(item: JsonValue): ToolResultSeen {
  const output = isObject(item) ? item.output : undefined
  const content = addContent(emptyMessage("tool"), { content: output ?? "" })
  return {
    id: stringAt(item, "call_id") ?? "",
    name: undefined,
    text: content.texts.join("\n"),
    isError: false,
    images: content.images,
  }
}

function roleOf(role: string | undefined): Message["role"] {
  if (role === "assistant") return role
  return role === "system" || role === "developer" ? "system" : "user"
}

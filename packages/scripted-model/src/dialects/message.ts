import { type JsonValue, parseJson } from "../json.ts"
import type { ImageSeen, Message } from "../request.ts"

export function emptyMessage(role: Message["role"]): Message {
  return { role, text: "", texts: [], toolCalls: [], toolResults: [], images: [] }
}

export function withText(message: Message): Message {
  return { ...message, text: message.texts.join("\n") }
}

/** Results carry only the id of their call; assertions read better with the tool's name. */
export function nameResults(messages: Message[]): Message[] {
  const names = new Map<string, string>()
  for (const message of messages) {
    for (const call of message.toolCalls) names.set(call.id, call.name)
    for (const result of message.toolResults) result.name = names.get(result.id)
  }
  return messages
}

export function inputOf(argumentsText: string): JsonValue {
  return parseJson(argumentsText) ?? argumentsText
}

/** OpenAI's dialects carry images as URLs, mostly `data:` ones. */
export function imageOf(url: string): ImageSeen {
  const inline = /^data:([^;,]*)(?:;[^,]*)?;base64,(.*)$/s.exec(url)
  if (inline === null) return { mediaType: undefined, data: undefined, url }
  return { mediaType: inline[1], data: inline[2], url: undefined }
}

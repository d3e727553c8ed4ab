import { isObject, type JsonObject, type JsonValue, listAt, numberAt, objectAt, stringAt } from "../json.ts"
import type { Message, RequestContent } from "../request.ts"
import { emptyMessage, nameResults, withText } from "./message.ts"

/** Model and way are in the address: `/v1beta/models/<model>:streamGenerateContent`. */
const ADDRESS = /\/models\/([^/:]+):(stream)?generateContent$/i

export const isGoogle = (path: string): boolean => ADDRESS.test(path)

export function readGoogle(body: JsonObject, path: string): RequestContent {
  const [, model = "", stream] = ADDRESS.exec(path) ?? []
  const config = objectAt(body, "generationConfig")
  const thinking = objectAt(config, "thinkingConfig")
  return {
    model: decodeURIComponent(model),
    system: listAt(objectAt(body, "systemInstruction"), "parts")
      .flatMap((part) => stringAt(part, "text") ?? [])
      .join("\n"),
    messages: nameResults(listAt(body, "contents").flatMap(readContent)),
    tools: listAt(body, "tools").flatMap((tool) =>
      listAt(tool, "functionDeclarations").flatMap((one) => stringAt(one, "name") ?? []),
    ),
    effort: stringAt(thinking, "thinkingLevel"),
    thinking: Object.keys(thinking).length > 0 ? thinking : undefined,
    maxTokens: numberAt(config, "maxOutputTokens"),
    stream: stream !== undefined,
  }
}

/** Results of tools come in a content of the user; they are a message of their own here, as elsewhere. */
function readContent(content: JsonValue): Message[] {
  const message = emptyMessage(stringAt(content, "role") === "model" ? "assistant" : "user")
  const results = emptyMessage("tool")
  for (const part of listAt(content, "parts")) {
    const text = stringAt(part, "text")
    if (text !== undefined && text !== "" && !(isObject(part) && part.thought === true)) message.texts.push(text)
    const call = objectAt(part, "functionCall")
    const name = stringAt(call, "name")
    if (name !== undefined)
      message.toolCalls.push({ id: stringAt(call, "id") ?? name, name, input: objectAt(call, "args") })
    const inline = objectAt(part, "inlineData")
    if (stringAt(inline, "data") !== undefined)
      message.images.push({ mediaType: stringAt(inline, "mimeType"), data: stringAt(inline, "data"), url: undefined })
    const result = objectAt(part, "functionResponse")
    const of = stringAt(result, "name")
    if (of !== undefined) results.toolResults.push(resultOf(result, of))
  }
  const said = message.texts.length + message.toolCalls.length + message.images.length > 0
  return [...(results.toolResults.length > 0 ? [results] : []), ...(said ? [withText(message)] : [])]
}

function resultOf(result: JsonObject, name: string): Message["toolResults"][number] {
  const response = objectAt(result, "response")
  const error = stringAt(response, "error")
  const text = error ?? stringAt(response, "output") ?? JSON.stringify(response)
  return { id: stringAt(result, "id") ?? name, name, text, isError: error !== undefined, images: [] }
}

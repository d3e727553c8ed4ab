import { isObject, objectAt } from "./json.ts"
import type { AnswerFunction } from "./part.ts"
import { type AnsweredSide, lastUserText, type ModelRequest, type RequestContent } from "./request.ts"

// How the agents begin the requests they make for themselves (claude 2.1, codex 0.166, opencode 1.18, pi 0.73–1.5).
const TITLE_SYSTEM = /You are a title generator|You are naming a coding session/
const COMPACTION_USER = [
  "CRITICAL: Respond with TEXT ONLY. Do NOT call any tools.",
  "You are performing a CONTEXT CHECKPOINT COMPACTION",
]
const COMPACTION_SYSTEM =
  /^\s*You are a (?:context summarization (?:agent|assistant)|helpful AI assistant tasked with summarizing)/

export function sideKind(content: RequestContent, body: ModelRequest["body"]): AnsweredSide | undefined {
  if (content.maxTokens === 1 && content.tools.length === 0) return "probe"
  if (wantsJsonTitle(body) || TITLE_SYSTEM.test(content.system)) return "title"
  if (COMPACTION_SYSTEM.test(content.system)) return "compaction"
  const asked = lastUserText(content)
  return COMPACTION_USER.some((start) => asked.startsWith(start)) ? "compaction" : undefined
}

export const SIDE_ANSWERS: Record<AnsweredSide, AnswerFunction> = {
  probe: () => "ok",
  title: (request) => (wantsJsonTitle(request.body) ? '{"title":"Scripted session"}' : "Scripted session"),
  compaction: () => "<summary>Scripted summary of the conversation.</summary>",
}

function wantsJsonTitle(body: ModelRequest["body"]): boolean {
  const schema = objectAt(objectAt(objectAt(body, "output_config"), "format"), "schema")
  const properties = objectAt(schema, "properties")
  return isObject(properties.title) && Object.keys(properties).length === 1
}

import { isObject, listAt, objectAt, stringAt } from "./json.ts"
import type { AnswerFunction } from "./part.ts"
import { type AnsweredSide, lastUserText, type ModelRequest, type RequestContent } from "./request.ts"
import { raw, reply, toolCall } from "./script.ts"

// How the agents begin the requests they make for themselves (claude 2.1, codex 0.166, opencode 1.18, pi 0.73, amp 0.0.1777897475).
const TITLE_SYSTEM = /You are a title generator|You are naming a coding session|generates short, descriptive titles/
const COMPACTION_USER = [
  "CRITICAL: Respond with TEXT ONLY. Do NOT call any tools.",
  "You are performing a CONTEXT CHECKPOINT COMPACTION",
]
const COMPACTION_SYSTEM =
  /^\s*You are a (?:context summarization (?:agent|assistant)|helpful AI assistant tasked with summarizing)/

const TITLE = "Scripted session"
const SUMMARY = "Scripted summary of the conversation."

// Codex with OpenAI's own provider asks by an input item and wants exactly one item of this type.
const COMPACTION_ITEM = raw("openai-responses", {
  type: "response.output_item.done",
  output_index: 0,
  item: { type: "compaction", id: "cmp_scripted", encrypted_content: SUMMARY },
})

export function sideKind(content: RequestContent, body: ModelRequest["body"]): AnsweredSide | undefined {
  if (content.maxTokens === 1 && content.tools.length === 0) return "probe"
  if (wantsJsonTitle(body) || TITLE_SYSTEM.test(content.system)) return "title"
  if (COMPACTION_SYSTEM.test(content.system) || triggersCompaction(body)) return "compaction"
  const asked = lastUserText(content)
  return COMPACTION_USER.some((start) => asked.startsWith(start)) ? "compaction" : undefined
}

export const SIDE_ANSWERS: Record<AnsweredSide, AnswerFunction> = {
  probe: () => "ok",
  title: (request) => {
    // Amp has the model call a tool for it.
    if (request.tools.includes("set_title")) return reply(toolCall("set_title", { title: TITLE }))
    return wantsJsonTitle(request.body) ? JSON.stringify({ title: TITLE }) : TITLE
  },
  compaction: (request) => (triggersCompaction(request.body) ? COMPACTION_ITEM : `<summary>${SUMMARY}</summary>`),
}

function triggersCompaction(body: ModelRequest["body"]): boolean {
  return stringAt(listAt(body, "input").at(-1), "type") === "compaction_trigger"
}

function wantsJsonTitle(body: ModelRequest["body"]): boolean {
  const schema = objectAt(objectAt(objectAt(body, "output_config"), "format"), "schema")
  const properties = objectAt(schema, "properties")
  return isObject(properties.title) && Object.keys(properties).length === 1
}

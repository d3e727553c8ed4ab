import { SandboxAgentError } from "@sandbox-agent/schema/error"
import type { ContentPart } from "@sandbox-agent/schema/item"
import { parseOfAgent } from "@sandbox-agent/schema/json-depth"
import { type Host, isBrief, type PastItem } from "../../core/driver.ts"
import { linesOf } from "../../files/lines-of.ts"
import { openRegular } from "../../files/regular-file.ts"
import { record, text } from "../shared/json.ts"
import { sessionFile } from "./home.ts"
import { isOurReminder } from "./message.ts"
import type { Block } from "./native.ts"
import { toolCall } from "./tool-call.ts"

/** One line of a session's file, as far as it is conversation. */
interface Entry {
  type?: string
  isSidechain?: boolean
  isMeta?: boolean
  isCompactSummary?: boolean
  message?: { content?: string | Block[] }
}

/** What was said in a session of Claude Code's own, in order; its housekeeping is left out. */
export async function* readHistory(home: string, id: string, { reach }: Pick<Host, "reach">): AsyncIterable<PastItem> {
  const file = await sessionFile(home, id)
  if (file === undefined) throw new SandboxAgentError("not_found", `Claude Code has no session ${id}`)
  const handle = await openRegular(file, reach)
  try {
    for await (const line of linesOf(handle, file)) {
      const entry = parsed(line)
      if (entry === undefined || entry.isSidechain || entry.isMeta || entry.isCompactSummary) continue
      if (entry.type === "user") yield* userItems(entry.message?.content ?? [])
      if (entry.type === "assistant") yield* assistantItems(entry.message?.content ?? [])
    }
  } finally {
    await handle.close()
  }
}

/** Claude Code passes over what is not JSON, too. */
function parsed(line: string): Entry | undefined {
  try {
    return record(parseOfAgent(line)) as Entry
  } catch {
    return undefined
  }
}

const housekeeping =
  /^<(?:local-command-|command-name>|system-reminder>|bash-|task-notification>)|^\[Request interrupted/

function* userItems(content: string | Block[]): Iterable<PastItem> {
  const blocks: Block[] = typeof content === "string" ? [{ type: "text", text: content }] : content
  const said = blocks.flatMap(userPart)
  if (said.length > 0) yield { kind: "message", role: "user", content: said }
  for (const block of blocks)
    if (block.type === "tool_result" && block.tool_use_id !== undefined)
      yield { kind: "tool_result", role: "tool", content: [resultPart(block, block.tool_use_id)] }
}

function userPart({ type, text }: Block): ContentPart[] {
  if (type !== "text" || text === undefined || isOurReminder(text) || isBrief(text) || housekeeping.test(text))
    return []
  return [{ type: "text", text }]
}

function resultPart({ content, is_error }: Block, call_id: string): ContentPart {
  const texts = Array.isArray(content) ? content.flatMap((block) => text(record(block).text) ?? []) : []
  const output = typeof content === "string" ? content : texts.join("\n")
  return { type: "tool_result", call_id, output, ...(is_error && { is_error: true }) }
}

function* assistantItems(content: string | Block[]): Iterable<PastItem> {
  const blocks: Block[] = typeof content === "string" ? [{ type: "text", text: content }] : content
  for (const { type, text, thinking, id, name, input } of blocks) {
    if (type === "text" && text) yield { kind: "message", role: "assistant", content: [{ type: "text", text }] }
    if (type === "thinking" && thinking)
      yield {
        kind: "message",
        role: "assistant",
        content: [{ type: "reasoning", text: thinking, visibility: "private" }],
      }
    if (type === "tool_use" && id !== undefined)
      yield { kind: "tool_call", role: "assistant", content: [toolCall(id, name ?? "unknown", input ?? {})] }
  }
}

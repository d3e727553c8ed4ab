import { SandboxAgentError } from "@sandbox-agent/schema/error"
import type { ContentPart } from "@sandbox-agent/schema/item"
import { type Host, isBrief, type PastItem } from "../../core/driver.ts"
import { record, text } from "../shared/json.ts"
import { wholePart } from "./blocks.ts"
import { branchTo } from "./fork.ts"
import { findSession } from "./home.ts"
import type { Block, Message } from "./native.ts"
import { textIn } from "./results.ts"
import { entriesOf } from "./session-file.ts"

/** What was said in a session of Pi's own, along its last branch. Pictures are left out. */
export async function* readHistory(home: string, id: string, host: Pick<Host, "reach">): AsyncIterable<PastItem> {
  const file = await findSession(home, id)
  if (file === undefined) throw new SandboxAgentError("not_found", `Pi has no session ${JSON.stringify(id)}`)
  const branch = await branchTo(file, undefined, host)
  for await (const entry of entriesOf(file, host)) {
    if (entry.type !== "message" || !branch.has(text(entry.id) ?? "")) continue
    yield* itemsOf(record(entry.message) as unknown as Message)
  }
}

function* itemsOf(message: Message): Iterable<PastItem> {
  const { role, content = [] } = message
  const blocks: Block[] = typeof content === "string" ? [{ type: "text", text: content }] : content
  if (role === "user") yield* userItem(blocks)
  if (role === "toolResult" && message.toolCallId !== undefined)
    yield { kind: "tool_result", role: "tool", content: [resultPart(message, message.toolCallId)] }
  if (role !== "assistant") return
  for (const block of blocks) {
    const part = wholePart(block)
    if (part === undefined) continue
    yield { kind: part.type === "tool_call" ? "tool_call" : "message", role: "assistant", content: [part] }
  }
}

function* userItem(blocks: readonly Block[]): Iterable<PastItem> {
  const said = withoutBrief(textIn({ content: [...blocks] }))
  if (said !== "") yield { kind: "message", role: "user", content: [{ type: "text", text: said }] }
}

/** A brief of ours stands in front of the message that it was sent with. */
function withoutBrief(said: string): string {
  if (!isBrief(said)) return said
  const end = said.indexOf(BRIEF_ENDS)
  return end < 0 ? "" : said.slice(end + BRIEF_ENDS.length).trimStart()
}

const BRIEF_ENDS = "</session-brief>"

function resultPart({ content = [], isError }: Message, call_id: string): ContentPart {
  const output = typeof content === "string" ? content : textIn({ content })
  return { type: "tool_result", call_id, output, ...(isError && { is_error: true }) }
}

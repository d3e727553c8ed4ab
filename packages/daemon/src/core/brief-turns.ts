import type { ContentPart, Item } from "@sandbox-agent/schema/item"
import { limits } from "@sandbox-agent/schema/limits"
import { cutMiddle } from "./bounds.ts"

/** A message of the person and what came of it, in order. */
export type Block = readonly Item[]

/** Blocks from the newest back. Work before the first message is a block of its own. */
export function* blocksOf(newestFirst: Iterable<Item>): Generator<Block> {
  let block: Item[] = []
  for (const item of newestFirst) {
    block.unshift(item)
    if (!isUser(item)) continue
    yield spoken(block)
    block = []
  }
  const rest = spoken(block)
  if (rest.length > 0) yield rest
}

const isUser = ({ kind, role }: Item): boolean => kind === "message" && role === "user"

/** What the model said, was told and did: no notes, no second tries, nothing of a sub-agent's own. */
function spoken(block: readonly Item[]): Block {
  const calls = new Set(block.filter(({ kind }) => kind === "tool_call").map(({ item_id }) => item_id))
  return block.filter(
    ({ kind, parent_id, metadata }) =>
      (kind === "message" || kind === "tool_call" || kind === "tool_result") &&
      !calls.has(parent_id ?? "") &&
      metadata?.reason !== "retried",
  )
}

export const whole = (block: Block, toolChars: number = limits.briefToolChars): string =>
  block
    .map((item) => itemText(item, toolChars))
    .filter(Boolean)
    .join("\n\n")

/** The message, the last words of the answer, and the names of the tools between. */
export function shortened(block: Block): string {
  const messages = block.filter(({ kind, role }) => kind === "message" && role !== "user")
  const last = messages.findLast((item) => said(item.content) !== "")
  const tools = block.flatMap(({ kind, content }) => (kind === "tool_call" ? content.flatMap(nameOf) : []))
  const used = tools.length === 0 ? "" : `[tools used: ${[...new Set(tools)].slice(0, 10).join(", ")}]`
  const parts = [
    ...block.filter(isUser).map((item) => spokenText(item, limits.briefShortChars)),
    used,
    last === undefined ? "" : spokenText(last, limits.briefShortChars),
  ]
  return parts.filter(Boolean).join("\n\n")
}

const nameOf = (part: ContentPart): string[] => (part.type === "tool_call" ? [part.name] : [])

function itemText(item: Item, toolChars: number): string {
  if (item.kind === "message") return spokenText(item)
  return item.content
    .map((part) => toolText(part, toolChars))
    .filter(Boolean)
    .join("\n")
}

function spokenText({ role, content, status }: Item, chars = Number.POSITIVE_INFINITY): string {
  const text = said(content)
  if (text === "") return ""
  const cut = status === "failed" ? " (cut short)" : ""
  return `### ${role === "user" ? "User" : "Assistant"}${cut}\n\n${cutMiddle(text, chars)}`
}

/** Words, and what came with them by its name; thoughts are nobody else's. */
const said = (content: readonly ContentPart[]): string =>
  content
    .flatMap((part): string[] => {
      if (part.type === "text") return part.text === "" ? [] : [part.text]
      if (part.type === "file_ref") return [`[file: ${part.path}]`]
      return part.type === "image" ? [`[image: ${part.path ?? part.mime ?? "attached"}]`] : []
    })
    .join("\n")

function toolText(part: ContentPart, chars: number): string {
  switch (part.type) {
    case "tool_call":
      return `[tool ${part.name}: ${cutMiddle(part.arguments, chars)}]`
    case "tool_result":
      return `[${part.is_error ? "failed" : "result"}: ${cutMiddle(part.output, chars)}]`
    case "file_ref":
      return `[${part.action}: ${part.path}]`
    case "text":
      return cutMiddle(part.text, chars)
    default:
      return ""
  }
}

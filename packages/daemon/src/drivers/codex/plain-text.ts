import { record, text } from "../shared/json.ts"

/** The text of content blocks, whatever each dialect calls them. */
export function plainText(content: unknown): string {
  if (typeof content === "string") return content
  if (!Array.isArray(content)) return content === undefined || content === null ? "" : JSON.stringify(content)
  return content.flatMap((block) => text(record(block).text) ?? []).join("\n")
}

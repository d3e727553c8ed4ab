import type { BlockPart } from "../part.ts"

/** The arguments as they go over the wire: a text input is sent as it is. */
export function argumentsText(part: BlockPart): string {
  if (part.type !== "tool-call") return ""
  return typeof part.input === "string" ? part.input : JSON.stringify(part.input)
}

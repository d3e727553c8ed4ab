import type { Event } from "../types.ts"
import { storeLimits } from "./limits.ts"

/** What can be searched of an event: what people and agents said. */
export function searchedText(event: Event): string | undefined {
  if (event.type !== "item.completed") return undefined
  const texts = event.data.item.content.flatMap((part) => (part.type === "text" ? [part.text] : []))
  // Postgres takes no text with a zero in it.
  const text = texts.join("\n").slice(0, storeLimits.searchChars).replaceAll("\0", " ")
  return text.trim() === "" ? undefined : text
}

/** Words of a text or a query: letters and digits of any script, small. */
export const wordsOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []

export const queryWords = (text: string): string[] => wordsOf(text).slice(0, storeLimits.searchWords)

import { type Json, record } from "./json.ts"

/** Settings as people write them, with comments and trailing commas; `undefined`: they are no JSON at all. */
export function writtenSettings(text: string): Json | undefined {
  try {
    return record(Bun.JSONC.parse(text))
  } catch {
    return undefined
  }
}

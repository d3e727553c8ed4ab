import { byteLength, fitsBytes, headBytes, tailBytes } from "@sandbox-agent/schema/byte-length"
import type { ContentPart } from "@sandbox-agent/schema/item"
import { limits } from "@sandbox-agent/schema/limits"

/** Keeps both ends of a text and says how much is missing between them. */
export function cutMiddle(text: string, limit: number): string {
  if (text.length <= limit) return text
  const half = Math.floor(limit / 2)
  const cut = `${text.slice(0, half)}\n… ${text.length - 2 * half} of ${text.length} characters cut …\n${text.slice(-half)}`
  return cut.toWellFormed() // a cut through a surrogate pair must not leave half of it
}

/** The same, counted in bytes. */
export function cutMiddleBytes(text: string, limit: number): string {
  if (fitsBytes(text, limit)) return text
  const half = Math.floor(limit / 2)
  const [head, tail] = [headBytes(text, half), tailBytes(text, half)]
  return `${head}\n… ${text.length - head.length - tail.length} of ${text.length} characters cut …\n${tail}`
}

/** A text that is not streamed, as an event shows it. */
export const boundText = (text: string): string => cutMiddleBytes(text, limits.toolOutputBytes)

/** Bounds one part; text and reasoning are bounded where they grow, so that deltas always add up to them. */
export function boundPart(part: ContentPart): ContentPart {
  switch (part.type) {
    case "tool_result":
      return fitsBytes(part.output, limits.toolOutputBytes)
        ? part
        : { ...part, output: boundText(part.output), truncated: true }
    case "tool_call":
      return fitsBytes(part.arguments, limits.toolOutputBytes)
        ? part
        : { ...part, arguments: JSON.stringify({ truncated: true, characters: part.arguments.length }) }
    case "file_ref":
      return part.diff === undefined ? part : { ...part, diff: boundText(part.diff) }
    case "json": {
      const json = JSON.stringify(part.json) ?? ""
      return fitsBytes(json, limits.toolOutputBytes)
        ? part
        : { type: "json", json: { truncated: true, characters: json.length } }
    }
    default:
      return part
  }
}

/** Any other payload: the event keeps its shape, what does not fit is cut or replaced by a note. */
export function boundData<T extends object>(data: T, limit: number = limits.eventBytes): T {
  return fitsBytes(JSON.stringify(data), limit) ? data : (shorter(data, limit) as T)
}

function shorter(value: unknown, limit: number): unknown {
  const size = byteLength(JSON.stringify(value) ?? "")
  if (size <= limits.eventFieldBytes) return value
  if (typeof value === "string") return cutMiddleBytes(value, limits.eventFieldBytes)
  if (Array.isArray(value)) return beginning(value, limit / 2)
  const entries = Object.entries(value as object).map(([key, field]) => [key, shorter(field, limit)])
  const short: unknown = Object.fromEntries(entries)
  return fitsBytes(JSON.stringify(short), limit) ? short : { truncated: true, bytes: size }
}

/** The first entries of a list, as many as fit. */
function beginning(list: unknown[], limit: number): unknown[] {
  let size = 0
  const short = list.map((entry) => shorter(entry, limit / 4))
  const end = short.findIndex((entry) => {
    size += byteLength(JSON.stringify(entry) ?? "")
    return size > limit
  })
  return end < 0 ? short : short.slice(0, end)
}

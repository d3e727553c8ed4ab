import type { ContentPart } from "@sandbox-agent/schema/item"
import { limits } from "@sandbox-agent/schema/limits"

/** Keeps both ends of a text and says how much is missing between them. */
export function cutMiddle(text: string, limit: number): string {
  if (text.length <= limit) return text
  const half = Math.floor(limit / 2)
  const cut = `${text.slice(0, half)}\n… ${text.length - 2 * half} of ${text.length} characters cut …\n${text.slice(-half)}`
  return cut.toWellFormed() // a cut through a surrogate pair must not leave half of it
}

/** A text that is not streamed, as an event shows it. */
export const boundText = (text: string): string => cutMiddle(text, limits.toolOutputBytes)

/** Two texts that are the one again, neither of which begins or ends with half a character. */
export function splitAt(text: string, at: number): [string, string] {
  const code = text.charCodeAt(at - 1)
  const place = at > 0 && code >= 0xd800 && code <= 0xdbff ? at - 1 : at
  return [text.slice(0, place), text.slice(place)]
}

/** Bounds one part; text and reasoning are bounded where they grow, so that deltas always add up to them. */
export function boundPart(part: ContentPart): ContentPart {
  switch (part.type) {
    case "tool_result":
      return part.output.length > limits.toolOutputBytes
        ? { ...part, output: cutMiddle(part.output, limits.toolOutputBytes), truncated: true }
        : part
    case "tool_call":
      return part.arguments.length > limits.toolOutputBytes
        ? { ...part, arguments: JSON.stringify({ truncated: true, characters: part.arguments.length }) }
        : part
    case "file_ref":
      return (part.diff?.length ?? 0) > limits.toolOutputBytes
        ? { ...part, diff: cutMiddle(part.diff ?? "", limits.toolOutputBytes) }
        : part
    case "json": {
      const size = JSON.stringify(part.json)?.length ?? 0
      return size > limits.toolOutputBytes ? { type: "json", json: { truncated: true, characters: size } } : part
    }
    default:
      return part
  }
}

/** Any other payload: the event keeps its shape, what does not fit is cut or replaced by a note. */
export function boundData<T extends object>(data: T, limit: number = limits.eventBytes): T {
  return JSON.stringify(data).length <= limit ? data : (shorter(data, limit) as T)
}

/** A field up to this stays as it is, whatever the size of the whole. */
const FIELD = 4096

function shorter(value: unknown, limit: number): unknown {
  const size = JSON.stringify(value)?.length ?? 0
  if (size <= FIELD) return value
  if (typeof value === "string") return cutMiddle(value, FIELD)
  if (Array.isArray(value)) return beginning(value, limit / 2)
  const entries = Object.entries(value as object).map(([key, field]) => [key, shorter(field, limit)])
  const short: unknown = Object.fromEntries(entries)
  return JSON.stringify(short).length <= limit ? short : { truncated: true, characters: size }
}

/** The first entries of a list, as many as fit. */
function beginning(list: unknown[], limit: number): unknown[] {
  let size = 0
  const short = list.map((entry) => shorter(entry, limit / 4))
  const end = short.findIndex((entry) => {
    size += JSON.stringify(entry)?.length ?? 0
    return size > limit
  })
  return end < 0 ? short : short.slice(0, end)
}

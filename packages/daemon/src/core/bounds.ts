import type { ContentPart } from "@sandbox-agent/schema/item"
import { limits } from "@sandbox-agent/schema/limits"

/** Keeps both ends of a text and says how much is missing between them. */
export function cutMiddle(text: string, limit: number): string {
  if (text.length <= limit) return text
  const half = Math.floor(limit / 2)
  return `${text.slice(0, half)}\n… ${text.length - 2 * half} of ${text.length} characters cut …\n${text.slice(-half)}`
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

/** Any other payload: the event stays, what does not fit is replaced by a note. */
export function boundData<T extends object>(data: T, limit: number = limits.eventBytes): T {
  const size = JSON.stringify(data).length
  if (size <= limit) return data
  const entries = Object.entries(data).map(([key, value]) => {
    const length = JSON.stringify(value)?.length ?? 0
    if (length <= 4096) return [key, value]
    return [key, typeof value === "string" ? cutMiddle(value, 4096) : { truncated: true, characters: length }]
  })
  return Object.fromEntries(entries) as T
}

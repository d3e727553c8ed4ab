import type { Json } from "../shared/json.ts"

/** Later wins, as between OpenCode's own layers; what is named again goes to the end, where it decides. */
export function merged(base: Json, over: Json): Json {
  const result: Record<string, unknown> = { ...base }
  for (const [name, value] of Object.entries(over)) {
    const before = result[name]
    delete result[name]
    result[name] = isPlain(before) && isPlain(value) ? merged(before, value) : value
  }
  return result
}

const isPlain = (value: unknown): value is Json => typeof value === "object" && value !== null && !Array.isArray(value)

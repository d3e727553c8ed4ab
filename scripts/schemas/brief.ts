import { nameOf } from "./closure.ts"
import type { Schema } from "./document.ts"

/** With some definitions cut down to the values that tell them from others. */
export function shortened(definitions: Record<string, Schema>, names: readonly string[]): Record<string, Schema> {
  const brief = (schema: Schema): Schema => {
    if (typeof schema === "boolean") return true
    if (schema.$ref !== undefined) return brief(definitions[nameOf(schema.$ref)] ?? true)
    const variants = schema.anyOf ?? schema.oneOf
    if (variants) return { anyOf: variants.map(brief) }
    const fixed = Object.entries(schema.properties ?? {}).filter(
      ([, each]) => typeof each === "object" && "const" in each,
    )
    if (fixed.length === 0) return true
    return { type: "object", properties: Object.fromEntries(fixed), required: fixed.map(([name]) => name) }
  }
  return { ...definitions, ...Object.fromEntries(names.map((name) => [name, brief(definitions[name] ?? true)])) }
}

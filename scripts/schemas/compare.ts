import type { Schema, SchemaObject } from "./document.ts"
import { fully, label, summary, variantsOf } from "./summary.ts"

/** Who writes what a schema describes: it decides what a change breaks. */
export interface Writers {
  us: boolean
  agent: boolean
}

export interface Difference {
  /** From the definition down: `.item.status`, `[]`, `<commandExecution>`. */
  path: string
  what: string
  level: "breaking" | "changed" | "added"
}

/** What differs between two schemas, each thing once and as deep as it lies. */
export function compare(before: Schema, after: Schema, writers: Writers, path = ""): Difference[] {
  if (JSON.stringify(before) === JSON.stringify(after)) return []
  if (typeof before === "boolean" || typeof after === "boolean") return typeChanged(before, after, path)
  if ([before, after].some(isUnion)) {
    const siblings = isUnion(before) && isUnion(after) ? compareProperties(before, after, writers, path) : []
    return [...compareUnions(before, after, writers, path), ...siblings]
  }
  const [left, right] = [before, after].map(valuesOf)
  if (left && right) return compareValues(left, right, writers, path)
  if (kindOf(before) !== kindOf(after)) return typeChanged(before, after, path)
  const values = [before, after].map(({ additionalProperties = true }) => additionalProperties)
  const open = values.every((each) => typeof each === "boolean")
  const [olds = [], news = []] = [before, after].map(({ items = true, prefixItems = [] }) => [...prefixItems, items])
  return [
    ...compareProperties(before, after, writers, path),
    ...(olds.length === news.length ? [] : [{ path, what: "another number of entries", level: "breaking" } as const]),
    ...olds.flatMap((old, index) => compare(old, news[index] ?? old, writers, `${path}[]`)),
    // Closed or open to more: nobody is asked to send more, or may count on less.
    ...(open ? [] : compare(values[0] ?? true, values[1] ?? true, writers, `${path}{}`)),
  ]
}

function typeChanged(before: Schema, after: Schema, path: string): Difference[] {
  // Only words that say nothing of the type: a description, a format, a limit.
  if (fully(before) === fully(after)) return []
  return [{ path, what: `was ${summary(before)}, is ${summary(after)}`, level: "breaking" }]
}

/** Values a schema lists, if that is all it says. */
function valuesOf(schema: SchemaObject): string[] | undefined {
  const values = schema.const === undefined ? schema.enum : [schema.const]
  return values?.map((value) => JSON.stringify(value))
}

function kindOf(schema: SchemaObject): string {
  if (schema.$ref !== undefined) return schema.$ref
  if (valuesOf(schema)) return "values"
  if (schema.allOf !== undefined) return JSON.stringify(schema.allOf)
  const types = [schema.type ?? (schema.properties ? "object" : "anything")].flat()
  return types.toSorted((left, right) => (left < right ? -1 : 1)).join(" | ")
}

function compareValues(before: string[], after: string[], writers: Writers, path: string): Difference[] {
  const gone = before.filter((value) => !after.includes(value))
  const fresh = after.filter((value) => !before.includes(value))
  // One value for another is another thing, not a list that changed.
  if (before.length === 1 && after.length === 1 && gone.length === 1)
    return [{ path, what: `was ${before[0]}, is ${after[0]}`, level: "breaking" }]
  return [
    ...gone.map(
      (value) => ({ path, what: `value ${value} removed`, level: writers.us ? "breaking" : "changed" }) as const,
    ),
    ...fresh.map(
      (value) => ({ path, what: `value ${value} added`, level: writers.agent ? "changed" : "added" }) as const,
    ),
  ]
}

function compareProperties(
  { properties: before = {}, required: needed = [] }: SchemaObject,
  { properties: after = {}, required: needs = [] }: SchemaObject,
  writers: Writers,
  path: string,
): Difference[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  return names.flatMap((name): Difference[] => {
    const here = `${path}.${name}`
    const [old, now] = [before[name], after[name]]
    if (now === undefined) return [{ path: here, what: `removed (was ${summary(old ?? true)})`, level: "breaking" }]
    if (old === undefined) {
      const required = needs.includes(name)
      const what = `added${required ? ", required" : ""} (${summary(now)})`
      return [{ path: here, what, level: required && writers.us ? "breaking" : "added" }]
    }
    return [
      ...requiredness(needed.includes(name), needs.includes(name), writers, here),
      ...compare(old, now, writers, here),
    ]
  })
}

function requiredness(before: boolean, after: boolean, writers: Writers, path: string): Difference[] {
  if (before === after) return []
  if (after) return [{ path, what: "now required", level: writers.us ? "breaking" : "changed" }]
  return [{ path, what: "no longer required", level: writers.agent ? "breaking" : "changed" }]
}

function isUnion(schema: SchemaObject): boolean {
  return variantsOf(schema).length > 0 || (Array.isArray(schema.type) && schema.type.length > 1)
}

/** Variants are the same when they carry the same label, else when they read the same. */
function compareUnions(before: SchemaObject, after: SchemaObject, writers: Writers, path: string): Difference[] {
  const [olds, news] = [named(before), named(after)]
  const names = [...new Set([...olds.keys(), ...news.keys()])]
  return names.flatMap((name): Difference[] => {
    const [old, now] = [olds.get(name), news.get(name)]
    if (now === undefined) return [{ path, what: `${name} removed`, level: removedLevel(old, writers) }]
    if (old === undefined) return [{ path, what: `${name} added`, level: writers.agent ? "changed" : "added" }]
    return compare(old, now, writers, primitive(now) ? path : `${path}<${name}>`)
  })
}

/** A value that the agent no longer sends breaks nobody; a kind of object that it no longer sends is missed. */
function removedLevel(schema: Schema | undefined, writers: Writers): Difference["level"] {
  return writers.us || !primitive(schema ?? true) ? "breaking" : "changed"
}

function primitive(schema: Schema): boolean {
  if (typeof schema === "boolean") return true
  return schema.$ref === undefined && (valuesOf(schema) !== undefined || !["object", "array"].includes(kindOf(schema)))
}

function named(schema: SchemaObject): Map<string, Schema> {
  const variants = variantsOf(schema)
  const all = (variants.length > 0 ? variants : [schema]).flatMap(alternatives)
  const names = all.map(nameOfVariant)
  const alone = (name: string): boolean => names.filter((same) => same === name).length === 1
  const found = new Map<string, Schema>()
  for (const [index, one] of all.entries()) {
    const name = names[index] ?? ""
    // Several that are labelled alike are told by what they hold, and if that is alike too by their place.
    const full = alone(name) || typeof one === "boolean" ? name : `${name} ${shape(one)}`
    let key = full
    for (let place = 2; found.has(key); place++) key = `${full} #${place}`
    found.set(key, one)
  }
  return found
}

function shape({ properties = {}, items = true, prefixItems }: SchemaObject): string {
  if (prefixItems) return `of ${prefixItems.length}`
  const names = Object.entries(properties).map(([name, schema]) => `${name}: ${summary(schema)}`)
  return names.length > 0 ? `{ ${names.join(", ")} }` : fully(items)
}

/** `"string" | null` as two, and a list of values as one each: a union may be written either way. */
function alternatives(schema: Schema): Schema[] {
  if (typeof schema === "boolean") return [schema]
  if (schema.enum !== undefined) return schema.enum.map((value) => ({ const: value }))
  if (!Array.isArray(schema.type)) return [schema]
  return schema.type.map((type) => (type === "object" || type === "array" ? { ...schema, type } : { type }))
}

/** Objects and lists without a label are told by what they are, whatever they hold. */
function nameOfVariant(schema: Schema): string {
  if (typeof schema === "boolean" || schema.$ref !== undefined || valuesOf(schema)) return summary(schema)
  const told = label(schema)
  if (told !== undefined) return told
  return ["object", "array"].includes(kindOf(schema)) ? kindOf(schema) : summary(schema)
}

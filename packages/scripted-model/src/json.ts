export type JsonValue = string | number | boolean | null | JsonValue[] | JsonObject
export interface JsonObject {
  [name: string]: JsonValue | undefined
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

// Request bodies come from programs we do not control: every read says what it hopes for and gets an empty value else.
export function objectAt(value: JsonValue | undefined, name: string): JsonObject {
  const found = isObject(value) ? value[name] : undefined
  return isObject(found) ? found : {}
}

export function listAt(value: JsonValue | undefined, name: string): JsonValue[] {
  const found = isObject(value) ? value[name] : undefined
  return Array.isArray(found) ? found : []
}

export function stringAt(value: JsonValue | undefined, name: string): string | undefined {
  const found = isObject(value) ? value[name] : undefined
  return typeof found === "string" ? found : undefined
}

export function numberAt(value: JsonValue | undefined, name: string): number | undefined {
  const found = isObject(value) ? value[name] : undefined
  return typeof found === "number" ? found : undefined
}

export function parseJson(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue
  } catch {
    return undefined
  }
}

import { readFileSync } from "node:fs"
import type { Route } from "@sandbox-agent/schema/contract/route"
import { enumOf, flagTypeOf, type JsonSchema } from "./schema-flag.ts"
import { UsageError } from "./usage.ts"

/** `@file` stands for the text of the file. */
export function textOf(value: string, flag: string): string {
  if (!value.startsWith("@")) return value
  try {
    return readFileSync(value.slice(1), "utf8")
  } catch (error) {
    throw new UsageError(
      `${flag}: cannot read ${value.slice(1)} (${(error as NodeJS.ErrnoException).code ?? String(error)})`,
    )
  }
}

export function parseJson(text: string, flag: string, route: { readonly cli: readonly string[] }): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new UsageError(`${flag}: not JSON: ${text.slice(0, 60)}`, route.cli)
  }
}

export function fieldValue(flag: string, schema: JsonSchema, values: string[], route: Route): unknown {
  const value = values.at(-1) ?? ""
  const choices = enumOf(schema)
  if (choices && !choices.includes(value))
    throw new UsageError(`${flag}: ${JSON.stringify(value)} is not allowed; allowed: ${choices.join(", ")}`, route.cli)
  switch (flagTypeOf(schema)) {
    case "boolean":
      return value === "true"
    case "number":
      if (value.trim() === "" || !Number.isFinite(Number(value)))
        throw new UsageError(`${flag}: ${JSON.stringify(value)} is not a number`, route.cli)
      return Number(value)
    case "json":
      return parseJson(textOf(value, flag), flag, route)
    case "pairs":
      return Object.assign({}, ...values.map((text) => pair(flag, text, route)))
    default:
      return value
  }
}

function pair(flag: string, text: string, route: Route): Record<string, unknown> {
  if (text.startsWith("{") || text.startsWith("@")) return wholeObject(flag, text, route)
  const equals = text.indexOf("=")
  if (equals < 1) throw new UsageError(`${flag}: ${JSON.stringify(text.slice(0, 20))} is not NAME=VALUE`, route.cli)
  return { [text.slice(0, equals)]: text.slice(equals + 1) }
}

export function wholeObject(flag: string, text: string, route: Route): Record<string, unknown> {
  const value = parseJson(textOf(text, flag), flag, route)
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new UsageError(`${flag}: must be a JSON object`, route.cli)
  return { ...value }
}

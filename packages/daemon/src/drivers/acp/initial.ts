import type { InitialChoices } from "../../core/driver.ts"
import { type Json, text } from "../shared/json.ts"
import type { Options } from "./options.ts"

export type Value = string | boolean

export const isValue = (value: unknown): value is Value => typeof value === "string" || typeof value === "boolean"

/** What the agent has chosen by itself, before anything is chosen in it. */
export function initialOf({ mode, passthrough }: Options): InitialChoices {
  const chosen = passthrough.others.flatMap(({ id, currentValue }: Json): [string, Value][] =>
    text(id) !== undefined && isValue(currentValue) ? [[String(id), currentValue]] : [],
  )
  return { ...(mode?.current !== undefined && { mode: mode.current }), options: Object.fromEntries(chosen) }
}

/** The agent does not go back to what it began with: whether it would ask nobody knows. */
export class NotPutBack extends Error {}

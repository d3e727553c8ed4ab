/** Agents send what they like: nothing is believed before it is looked at. */
export type Json = Readonly<Record<string, unknown>>

export const record = (value: unknown): Json =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Json) : {}

export const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

export const text = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined)

export const number = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isFinite(value) ? value : undefined

/** The value at a path of names. */
export const at = (value: unknown, ...names: string[]): unknown =>
  names.reduce((found, name) => record(found)[name], value)

/** What a flag takes. `json` is JSON text or `@file`; `pairs` is NAME=VALUE, repeatable, or one JSON object. */
export type FlagType = "string" | "number" | "boolean" | "list" | "json" | "pairs"

/** One flag of a command, as data for parsing, help and completions. */
export interface Flag {
  /** Without the dashes. */
  readonly name: string
  readonly type: FlagType
  readonly help: string
  /** One letter, for the few that have one. */
  readonly short?: string
  /** The closed list of values, where there is one. */
  readonly values?: readonly string[]
  /** What stands for the value in help. */
  readonly placeholder?: string
  /** Completed as a path. */
  readonly path?: boolean
}

export const camelCase = (name: string): string =>
  name.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase())

export const kebabCase = (name: string): string =>
  name.replace(/_/g, "-").replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

/** Fields of the API that a text names, as the flags of a command. */
export function inFlags(text: string, flags: readonly Flag[]): string {
  const names = new Set(flags.map(({ name }) => name))
  return text.replace(/`(\w+)(?:=true)?`/g, (whole, field: string) =>
    names.has(kebabCase(field)) ? `\`--${kebabCase(field)}\`` : whole,
  )
}

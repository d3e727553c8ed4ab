import type { Turn } from "../turn.ts"

/** One `/name` of the script. */
export interface Command {
  /** Its arguments, as shown to a person; empty when it takes none. */
  hint: string
  description: string
  run(argument: string, turn: Turn): Promise<void> | void
}

/** The arguments make no sense; the turn goes on with a word about usage. */
export class BadArguments extends Error {}

/** A whole number within bounds. */
export function wholeNumber(text: string | undefined, name: string, min: number, max: number): number {
  const value = text !== undefined && /^\d+$/.test(text) ? Number(text) : Number.NaN
  if (!(value >= min && value <= max)) throw new BadArguments(`${name} is a whole number from ${min} to ${max}.`)
  return value
}

export function required(text: string, name: string): string {
  if (text.trim() === "") throw new BadArguments(`${name} is missing.`)
  return text
}

/** Arguments set apart by white space, no more than the command takes. */
export function split(argument: string, most: number): string[] {
  const parts = argument.split(/\s+/).filter((part) => part !== "")
  if (parts.length > most) throw new BadArguments("Too many arguments.")
  return parts
}

/** The first word, and the rest as it is. */
export function firstWord(argument: string): [string, string] {
  const space = argument.search(/\s/)
  return space < 0 ? [argument, ""] : [argument.slice(0, space), argument.slice(space + 1)]
}

/** The longest a timer of the runtime waits. */
export const MAX_TIMER_MS = 2 ** 31 - 1

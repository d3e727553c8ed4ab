import { didYouMean } from "./closest.ts"
import type { Flag } from "./flag.ts"
import { UsageError } from "./usage.ts"

/** One flag as it was written; switches carry "true" or "false". */
export interface Given {
  readonly flag: Flag
  readonly value: string
}

export interface Parsed {
  readonly given: readonly Given[]
  readonly positionals: readonly string[]
}

/** `-x` and `--name[=value]`. A lone dash, a number or a sentence that begins with a dash is an argument. */
export const looksLikeFlag = (word: string): boolean => /^-{1,2}[A-Za-z][^\s=]*(=|$)/.test(word)

/** Finds the flag a word means; `--no-x` turns the switch `x` off unless a flag has that very name. */
export function findFlag(name: string, flags: readonly Flag[]): { flag: Flag; negated: boolean } | undefined {
  const flag = flags.find((f) => f.name === name)
  if (flag) return { flag, negated: false }
  const switched = name.startsWith("no-") && flags.find((f) => f.type === "boolean" && f.name === name.slice(3))
  return switched ? { flag: switched, negated: true } : undefined
}

export function parseFlags(argv: readonly string[], flags: readonly Flag[], command: readonly string[]): Parsed {
  const given: Given[] = []
  const positionals: string[] = []
  for (let i = 0; i < argv.length; i++) {
    const word = argv[i] ?? ""
    if (word === "--") {
      positionals.push(...argv.slice(i + 1))
      break
    }
    if (!looksLikeFlag(word)) {
      positionals.push(word)
      continue
    }
    const equals = word.indexOf("=")
    const spelled = equals < 0 ? word : word.slice(0, equals)
    const name = longName(spelled, flags)
    const found = findFlag(name, flags)
    if (!found) throw new UsageError(`unknown flag \`${spelled}\`${didYouMean(name, names(flags), "--")}`, command)
    const { flag, negated } = found
    let value = equals < 0 ? undefined : word.slice(equals + 1)
    if (flag.type === "boolean") {
      given.push({ flag, value: switchValue(spelled, value, negated, command) })
      continue
    }
    if (value === undefined) {
      const next = argv[i + 1]
      if (next === undefined || looksLikeFlag(next)) throw new UsageError(`\`${spelled}\` needs a value`, command)
      value = next
      i++
    }
    given.push({ flag, value })
  }
  return { given, positionals }
}

/** Flags of a program that is named as an argument were taken for ours: they stand behind `--`. */
export function withDashes(
  error: unknown,
  argv: readonly string[],
  flags: readonly Flag[],
  command: readonly string[],
): unknown {
  if (!(error instanceof UsageError) || argv.includes("--")) return error
  const at = argv.findIndex((word, i) => !looksLikeFlag(word) && !takesNext(argv[i - 1], flags))
  if (at < 0 || !argv.slice(at).some(looksLikeFlag)) return error
  const words = ["sandbox-agent", ...command, ...argv.slice(0, at), "--", ...argv.slice(at)]
  return new UsageError(`${error.detail}; flags of a program follow \`--\`: \`${words.join(" ")}\``, command)
}

const takesNext = (word: string | undefined, flags: readonly Flag[]): boolean => {
  if (word === undefined || !looksLikeFlag(word) || word.includes("=")) return false
  return findFlag(longName(word, flags), flags)?.flag.type !== "boolean"
}

/** The last value given for a flag, for commands with few of them. */
export const lastOf = (parsed: Parsed, name: string): string | undefined =>
  parsed.given.findLast((g) => g.flag.name === name)?.value

/** The last value given for a flag with a closed list of them. */
export function choiceOf(parsed: Parsed, name: string, command: readonly string[]): string | undefined {
  const given = parsed.given.findLast((g) => g.flag.name === name)
  const { values = [] } = given?.flag ?? {}
  if (given === undefined || values.includes(given.value)) return given?.value
  const near = didYouMean(given.value, values)
  throw new UsageError(`--${name}: ${JSON.stringify(given.value)} is not one of ${values.join(", ")}${near}`, command)
}

/** Every value given for a flag, in order. */
export const allOf = (parsed: Parsed, name: string): string[] =>
  parsed.given.flatMap((g) => (g.flag.name === name ? g.value : []))

export const isSet = (parsed: Parsed, name: string): boolean => lastOf(parsed, name) === "true"

const names = (flags: readonly Flag[]): string[] => flags.map((f) => f.name)

function longName(spelled: string, flags: readonly Flag[]): string {
  if (spelled.startsWith("--")) return spelled.slice(2)
  const letter = spelled.slice(1)
  return flags.find((f) => f.short === letter)?.name ?? letter
}

function switchValue(spelled: string, value: string | undefined, negated: boolean, command: readonly string[]): string {
  if (value === undefined) return negated ? "false" : "true"
  const on = /^(true|1|yes|on)$/i.test(value)
  if (!on && !/^(false|0|no|off)$/i.test(value))
    throw new UsageError(
      `\`${spelled}\` is a switch: give it no value, or true or false, not ${JSON.stringify(value)}`,
      command,
    )
  return on !== negated ? "true" : "false"
}

/** For commands that flags alone tell what to do; `meant` is what somebody who gave a word may have wanted. */
export function assertNoArgument({ positionals: [extra] }: Parsed, command: readonly string[], meant = ""): void {
  if (extra === undefined) return
  throw new UsageError(`\`${command.join(" ")}\` takes no argument, but \`${extra}\` was given${meant}`, command)
}

import type { Argument, Command } from "./command.ts"
import type { Flag } from "./flag.ts"
import { allCommands, groups } from "./help.ts"
import { topics } from "./help-topics.ts"

/** What may follow some words: further words, flags, and values of flags and arguments. */
export interface CompletionNode {
  /** Empty for the beginning. */
  readonly words: readonly string[]
  readonly next: readonly { word: string; summary: string }[]
  readonly flags: readonly Flag[]
  /** Values of each plain argument, in order; undefined where anything goes. */
  readonly argumentValues: readonly (Values | undefined)[]
}

/** Words, or names that are asked for when they are completed: `sandbox-agent completions <names>`. */
export type Values = readonly string[] | Names
export const namesToComplete = ["agents", "sessions"] as const
export type Names = (typeof namesToComplete)[number]

export const isNames = (values: Values): values is Names => typeof values === "string"

/** What a flag takes, by its values or its name. */
export const flagValues = ({ name, values }: Flag): Values | undefined =>
  values ?? (name === "agent" || name === "default-agent" ? "agents" : name === "session" ? "sessions" : undefined)

const valuesOf = (command: Command, { name, values }: Argument): Values | undefined =>
  values ??
  (name === "agent"
    ? "agents"
    : name === "session" || (name === "id" && command.words[0] === "sessions" && command.words[1] !== "create")
      ? "sessions"
      : undefined)

const everywhere: readonly Flag[] = [{ name: "help", type: "boolean", help: "help" }]

const leaf = (words: readonly string[], command: Command): CompletionNode => ({
  words,
  next: [],
  flags: [...command.flags, ...everywhere],
  argumentValues:
    command.words[0] === "help"
      ? [[...topics, ...firstWords().map((n) => n.word)]]
      : command.arguments.map((a) => valuesOf(command, a)),
})

/** Every command and group once, from the same tree as help and dispatch. `api` is not among them: shells drop it. */
export function completionTree(): CompletionNode[] {
  const start: CompletionNode = {
    words: [],
    next: [...firstWords(), { word: "api", summary: "Call an endpoint" }],
    flags: [...everywhere, { name: "version", type: "boolean", help: "the version" }],
    argumentValues: [],
  }
  const inGroups = groups(allCommands).map((group): CompletionNode => {
    const members = leaves().filter((node) => node.words[0] === group && node.words.length > 1)
    return {
      words: [group],
      next: members.map((m) => ({ word: m.words[1] ?? "", summary: m.summary })),
      flags: everywhere,
      argumentValues: [],
    }
  })
  return [start, ...inGroups, ...leaves().map(({ words, command }) => leaf(words, command))]
}

function leaves(): { words: readonly string[]; summary: string; command: Command }[] {
  return allCommands.flatMap((command) =>
    [command.words, ...(command.aliases ?? [])].map((words) => ({ words, summary: command.summary, command })),
  )
}

const firstWords = (): { word: string; summary: string }[] => [
  ...allCommands.filter((c) => c.words.length === 1).map((c) => ({ word: c.words[0] ?? "", summary: c.summary })),
  ...groups(allCommands).map((word) => ({ word, summary: `Commands for ${word}` })),
]

import type { Flag } from "./flag.ts"

/** A plain argument of a command. */
export interface Argument {
  readonly name: string
  readonly help?: string
  readonly values?: readonly string[]
  readonly optional?: boolean
  readonly many?: boolean
}

export type Run = (argv: string[]) => Promise<number>

/** One command, as data for dispatch, help and completions. */
export interface Command {
  readonly words: readonly string[]
  /** Other words that mean the same. */
  readonly aliases?: readonly (readonly string[])[]
  readonly summary: string
  readonly description?: string
  readonly arguments: readonly Argument[]
  readonly flags: readonly Flag[]
  readonly examples?: readonly string[]
  /** Loads what the command needs, and nothing before it is called. */
  readonly load: () => Promise<Run>
}

export const jsonFlag: Flag = { name: "json", type: "boolean", help: "machine-readable JSON" }

/** Which daemon is meant, where it is not the one that runs here. */
export const endpointFlags: readonly Flag[] = [
  { name: "endpoint", type: "string", placeholder: "URL", help: "address of the daemon (SANDBOX_AGENT_URL)" },
  { name: "token", type: "string", placeholder: "T", help: "token of the daemon (SANDBOX_AGENT_TOKEN)" },
]

export const dataDirFlag: Flag = {
  name: "data-dir",
  type: "string",
  placeholder: "DIR",
  path: true,
  help: "data directory of the daemon",
}

/** Flags of every command that asks a daemon. */
export const connectionFlags: readonly Flag[] = [
  ...endpointFlags,
  { ...dataDirFlag, help: "data directory of the daemon, in place of its address" },
  jsonFlag,
]

/** `<name>`, `[name]`, with dots where it may repeat. */
export const argumentText = (argument: Argument): string => {
  const name = argument.many ? `${argument.name}...` : argument.name
  return argument.optional ? `[${name}]` : `<${name}>`
}

/** The command whose words begin `argv`, the longest first, and what follows them. */
export function matchCommand(
  commands: readonly Command[],
  argv: readonly string[],
): { command: Command; rest: string[] } | undefined {
  let best: { command: Command; rest: string[] } | undefined
  for (const command of commands)
    for (const words of [command.words, ...(command.aliases ?? [])]) {
      const longer = !best || argv.length - words.length < best.rest.length
      if (longer && words.every((word, i) => argv[i] === word)) best = { command, rest: argv.slice(words.length) }
    }
  return best
}

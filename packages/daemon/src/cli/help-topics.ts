import { bases } from "../install/bases.ts"
import { mirrorVariable } from "../install/failure.ts"
import { exitCodeTable } from "./exit-codes.ts"
import { columns } from "./help-text.ts"
import type { Paint } from "./print.ts"
import { envOf, serverFlags } from "./server-flags.ts"

export const topics = ["exit-codes", "environment"] as const
export type Topic = (typeof topics)[number]

export function topicHelp(topic: Topic, paint: Paint, width: number): string {
  return topic === "exit-codes" ? exitCodesHelp(paint, width) : environmentHelp(paint, width)
}

function exitCodesHelp(paint: Paint, width: number): string {
  const rows = exitCodeTable().map(({ exit, meaning }): [string, string] => [String(exit), meaning])
  const intro =
    "The exit code tells which kind of error it was; with --json the error itself is on stderr as one JSON object."
  return `${paint("bold", "Exit codes")}\n\n${intro}\n\n${columns(rows, paint, width)}`
}

const mirrors = Object.entries(bases).map(([base, address]): [string, string] => [
  mirrorVariable(base),
  `agents are downloaded from this address in place of ${new URL(address).origin}`,
])

function environmentHelp(paint: Paint, width: number): string {
  const commands: [string, string][] = [
    ["SANDBOX_AGENT_URL", "address of the daemon for API commands (--endpoint)"],
    ["SANDBOX_AGENT_TOKEN", "token for API commands and for the server (--token)"],
    ...mirrors,
    ["npm_config_registry", "the package registry agents are installed from, as in ~/.npmrc"],
    ["NO_COLOR, FORCE_COLOR", "colours off, colours on"],
    ["XDG_DATA_HOME, XDG_CONFIG_HOME", "where the default data directory and config file are"],
  ]
  const server = serverFlags.map((flag): [string, string] => [envOf(flag.name), flag.help])
  return [
    `${paint("bold", "Environment")}\n`,
    columns(commands, paint, width),
    `${paint("bold", "Of the server (flags win over these, these win over the config file)")}\n`,
    columns(server, paint, width),
  ].join("\n")
}

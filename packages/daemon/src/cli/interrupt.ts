import type { RouteId } from "@sandbox-agent/schema/contract/contract"
import type { Route } from "@sandbox-agent/schema/contract/route"
import { note } from "./print.ts"

type Words = (first: string) => string

/** What goes on, or does not, when a command is left; of those that only read there is nothing to say. */
const words: Partial<Record<RouteId, Words>> = {
  streamMessage: (id) =>
    `left; the turn goes on: \`sandbox-agent sessions stream-events ${id}\` follows it, \`sandbox-agent sessions cancel ${id}\` stops it`,
  runProcess: () => "left; the program was ended",
  installAgent: (agent) => `left; the daemon goes on with the install: \`sandbox-agent agents get ${agent}\` shows it`,
}

/** Ctrl-C ends the command, and says what that means. */
export function onInterrupt({ id }: Pick<Route, "id">, argv: readonly string[]): void {
  const first = argv.find((word) => !word.startsWith("-")) ?? ""
  process.once("SIGINT", () => {
    const said = words[id as RouteId]?.(first)
    const exit = () => process.exit(130)
    if (said === undefined) exit()
    // A terminal shows the key itself, on the line being written.
    else void note(`${process.stderr.isTTY ? "\n" : ""}${said}`).then(exit, exit)
  })
}

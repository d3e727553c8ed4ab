import { type ErrorCode, errorCodes, errors } from "@sandbox-agent/schema/error"

/** What exit codes mean beside the errors of the table that lead to them. */
export const otherExits: Readonly<Record<number, string>> = {
  0: "done",
  1: "`daemon status`: not running; `run`, `sessions stream-message`: the turn failed or ended early (an error, a refusal, a limit); `daemon logs`: no log; `conformance`: a requirement is not met; `store check`: something is damaged; `doctor`: something sessions need is missing",
  7: "the connection was cut off, or the answer ended before its end: what was printed is a part",
  124: "`processes run`: the program took longer than `--timeout-ms`; any other exit code of the program is the command's own",
  130: "interrupted by Ctrl-C, or the turn was cancelled",
}

/** What each exit code means, in order: the error codes that lead to it, or words. */
export function exitCodeTable(): { exit: number; meaning: string }[] {
  const byExit = new Map<number, ErrorCode[]>()
  for (const code of errorCodes) {
    const { exit } = errors[code]
    byExit.set(exit, [...(byExit.get(exit) ?? []), code])
  }
  const exits = new Set([...byExit.keys(), ...Object.keys(otherExits).map(Number)])
  const meaningOf = (exit: number): string =>
    [byExit.get(exit)?.join(", "), otherExits[exit]].filter((part) => part !== undefined).join("; ")
  return [...exits].sort((a, b) => a - b).map((exit) => ({ exit, meaning: meaningOf(exit) }))
}

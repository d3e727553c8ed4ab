import { type ErrorCode, errorCodes, errors } from "@sandbox-agent/schema/error"

/** Exit codes that no error of the table has. */
export const otherExits: Readonly<Record<number, string>> = {
  0: "done",
  1: "`daemon status`: not running; `run`, `sessions stream-message`: the turn failed or ended early (an error, a refusal, a limit); `daemon logs`: no log; `conformance`: a requirement is not met; `store check`: something is damaged; `doctor`: something sessions need is missing",
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
  const rows = [...byExit].map(([exit, codes]) => ({ exit, meaning: codes.join(", ") }))
  const others = Object.entries(otherExits).map(([exit, meaning]) => ({ exit: Number(exit), meaning }))
  return [...rows, ...others].sort((a, b) => a.exit - b.exit)
}

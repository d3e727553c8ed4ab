import type { Terminal } from "./print.ts"

/** What an install tells on its way. */
export interface Progress {
  readonly phase?: string
  readonly bytes?: number
  readonly total?: number
}

const mib = (bytes: number): string => `${(bytes / 1024 / 1024).toFixed(1)} MiB`

/** One line that is written over itself. */
export function progressLine(progress: Progress, terminal: Terminal): string {
  const { phase = "installing", bytes, total } = progress
  const width = Math.max(10, Math.min(30, terminal.width - 50))
  const share = bytes !== undefined && total ? Math.min(1, bytes / total) : undefined
  const done = share === undefined ? 0 : Math.round(share * width)
  const bar = share === undefined ? "" : ` [${"#".repeat(done)}${"-".repeat(width - done)}] ${Math.floor(share * 100)}%`
  const amount = bytes === undefined ? "" : ` ${mib(bytes)}${total ? ` of ${mib(total)}` : ""}`
  return `\r\x1b[K${phase}${bar}${amount}`
}

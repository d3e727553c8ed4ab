/** One line of the report. */
export interface Row {
  name: string
  unit: string
  ours?: number
  /** The same thing done by next to nothing, measured in the same run. */
  floor?: number
  peer?: number
  /** The peer's figure was not measured in this run. */
  peerPublished?: boolean
  bar?: Bar
  /** What the figure means or what else was seen. */
  note?: string
}

export interface Bar {
  text: string
  /** Absent where the bar needs a peer that was not given. */
  pass?: boolean
}

export const atMost = (ours: number, limit: number | undefined, unit: string, why = ""): Bar =>
  limit === undefined
    ? { text: `≤ ${why}` }
    : { text: `≤ ${figure(limit)} ${unit}${why === "" ? "" : ` (${why})`}`, pass: ours <= limit }

export const atLeast = (ours: number, limit: number | undefined, unit: string, why = ""): Bar =>
  limit === undefined
    ? { text: `≥ ${why}` }
    : { text: `≥ ${figure(limit)} ${unit}${why === "" ? "" : ` (${why})`}`, pass: ours >= limit }

export const isTrue = (pass: boolean, text: string): Bar => ({ text, pass })

/** Three digits that matter; thousands as k and M. */
export function figure(value: number | undefined): string {
  if (value === undefined || Number.isNaN(value)) return "–"
  const size = Math.abs(value)
  if (size >= 1e6) return `${(value / 1e6).toFixed(2)}M`
  if (size >= 1e4) return `${(value / 1e3).toFixed(1)}k`
  if (size >= 100 || Number.isInteger(value)) return value.toFixed(0)
  return value.toFixed(size >= 10 ? 1 : 2)
}

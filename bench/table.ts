import { figure, type Row } from "./row.ts"

const headers = ["figure", "ours", "floor", "×floor", "peer", "×peer", "bar", ""]

const ratio = (a: number | undefined, b: number | undefined): string =>
  a === undefined || b === undefined || b === 0 ? "–" : (a / b).toFixed(a / b >= 10 ? 1 : 2)

const mark = (row: Row): string => (row.bar?.pass === undefined ? "" : row.bar.pass ? "✓" : "✗")

function cells(row: Row): string[] {
  const withUnit = (value: number | undefined): string => (value === undefined ? "–" : `${figure(value)} ${row.unit}`)
  return [
    row.name,
    withUnit(row.ours),
    withUnit(row.floor),
    ratio(row.ours, row.floor),
    `${withUnit(row.peer)}${row.peerPublished ? "*" : ""}`,
    ratio(row.ours, row.peer),
    row.bar?.text ?? "",
    mark(row),
  ]
}

/** Aligned columns, names to the left and figures to the right; notes under their line. */
export function table(rows: readonly Row[]): string {
  const lines = [headers, ...rows.map(cells)]
  const widths = headers.map((_, i) => Math.max(...lines.map((line) => line[i]?.length ?? 0)))
  const left = new Set([0, 6, 7])
  const out: string[] = []
  lines.forEach((line, n) => {
    const text = line.map((cell, i) => (left.has(i) ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0)))
    out.push(text.join("  ").trimEnd())
    const note = rows[n - 1]?.note
    if (note !== undefined) out.push(`    ${note}`)
  })
  return out.join("\n")
}

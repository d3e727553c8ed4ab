import { type Paint, paintFor, printable, type Terminal } from "./print.ts"

/** A value in one cell: text as it is, anything else as JSON. */
export function cellText(value: unknown): string {
  if (value === undefined || value === null) return ""
  if (typeof value === "string") return value
  if (Array.isArray(value) && value.every((part) => typeof part !== "object")) return value.join(", ")
  return typeof value === "object" ? JSON.stringify(value) : String(value)
}

/** One row per line and one tab between cells, whatever the cells hold. */
export const tabSeparated = (rows: readonly (readonly string[])[]): string =>
  rows
    .map(
      (row) =>
        `${row.map((cell) => cell.replaceAll("\\", "\\\\").replaceAll("\t", "\\t").replaceAll("\n", "\\n").replaceAll("\r", "\\r")).join("\t")}\n`,
    )
    .join("")

/** Cuts a text to a width in columns. */
export function fit(text: string, width: number): string {
  if (Bun.stringWidth(text) <= width) return text
  let cut = ""
  let used = 0
  for (const character of text) {
    used += Bun.stringWidth(character)
    if (used > width - 1) break
    cut += character
  }
  return `${cut}…`
}

const pad = (text: string, width: number): string => text + " ".repeat(Math.max(0, width - Bun.stringWidth(text)))

/** Between two columns. */
const gap = 2
/** Below this a column says nothing any more. */
const leastWidth = 4

/** Widths that fit the screen: the widest column gives way first. */
function fitted(widths: number[], screen: number): number[] {
  const room = screen - gap * (widths.length - 1)
  for (;;) {
    const widest = Math.max(...widths)
    if (widths.reduce((sum, width) => sum + width, 0) <= room || widest <= leastWidth) return widths
    widths[widths.lastIndexOf(widest)] = widest - 1
  }
}

/** Aligned columns with a heading; no row is wider than the screen. */
export function table(headings: readonly string[], rows: readonly (readonly string[])[], terminal: Terminal): string {
  const paint: Paint = paintFor(terminal)
  const clean = rows.map((row) => row.map((cell) => printable(cell).replace(/\s+/g, " ")))
  const wanted = headings.map((heading, i) =>
    Math.max(Bun.stringWidth(heading), ...clean.map((row) => Bun.stringWidth(row[i] ?? ""))),
  )
  const widths = fitted(wanted, terminal.width)
  const render = (row: readonly string[]): string =>
    row.map((cell, i) => pad(fit(cell, widths[i] ?? 0), widths[i] ?? 0)).join(" ".repeat(gap))
  return [paint("bold", render(headings.map((h) => h.toUpperCase()))), ...clean.map(render)]
    .map((l) => `${l.trimEnd()}\n`)
    .join("")
}

/** `key: value` lines; inner objects become dotted keys. */
export function keyValues(value: object, paint: Paint, prefix = ""): string {
  let text = ""
  for (const [key, inner] of Object.entries(value)) {
    if (inner === undefined) continue
    const nested = typeof inner === "object" && inner !== null && !Array.isArray(inner) && Object.keys(inner).length > 0
    if (nested) text += keyValues(inner, paint, `${prefix}${key}.`)
    else text += `${paint("cyan", `${prefix}${key}:`)} ${printable(cellText(inner)).replaceAll("\n", "\n  ")}\n`
  }
  return text
}

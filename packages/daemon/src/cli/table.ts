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

/** Aligned columns with a heading; the last column gives way where the screen is narrow. */
export function table(headings: readonly string[], rows: readonly (readonly string[])[], terminal: Terminal): string {
  const paint: Paint = paintFor(terminal)
  const clean = rows.map((row) => row.map((cell) => printable(cell).replace(/\s+/g, " ")))
  const widths = headings.map((heading, i) =>
    Math.min(48, Math.max(Bun.stringWidth(heading), ...clean.map((row) => Bun.stringWidth(row[i] ?? "")))),
  )
  const fixed = widths.slice(0, -1).reduce((sum, width) => sum + width + 2, 0)
  const last = Math.max(8, terminal.width - fixed)
  const render = (row: readonly string[]): string =>
    row
      .map((cell, i) => (i === row.length - 1 ? fit(cell, last) : pad(fit(cell, widths[i] ?? 0), widths[i] ?? 0)))
      .join("  ")
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

import type { Change } from "./diff.ts"
import type { SchemaDocument } from "./document.ts"

const levels = [
  ["breaking", "Breaking"],
  ["changed", "Changed"],
  ["added", "Added"],
] as const

/** The changes as a page to read: what breaks first, what the driver uses before the rest. */
export function diffText(before: SchemaDocument, after: SchemaDocument, changes: readonly Change[]): string {
  const [from, to] = [before["x-stamp"], after["x-stamp"]]
  const head = `${to.agent} ${from.version} → ${to.version}`
  if (changes.length === 0) return `${head}: no change\n`
  const counts = levels.map(([level]) => `${changes.filter((change) => change.level === level).length} ${level}`)
  const sections = levels.flatMap(([level, title]) => [
    section(
      `${title}, used by the driver`,
      changes.filter((change) => change.level === level && change.used),
    ),
    section(
      title,
      changes.filter((change) => change.level === level && !change.used),
    ),
  ])
  return `${[`${head}: ${counts.join(", ")}`, ...sections.filter((text) => text !== "")].join("\n\n")}\n`
}

function section(title: string, changes: readonly Change[]): string {
  if (changes.length === 0) return ""
  const lines: string[] = []
  let last = ""
  for (const { of, path, what } of changes) {
    if (path === "") lines.push(`  ${of}: ${what}`)
    else lines.push(...(of === last ? [] : [`  ${of}`]), `    ${path.trim()}: ${what}`)
    last = path === "" ? "" : of
  }
  return [`${title} (${changes.length})`, ...lines].join("\n")
}

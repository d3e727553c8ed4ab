const CONTEXT = 3

/** A unified diff with one hunk around everything that changed; `undefined` before: the file is new. */
export function unifiedDiff(path: string, before: string | undefined, after: string): string {
  if (before === after) return ""
  const [old, now] = [linesOf(before ?? ""), linesOf(after)]
  let head = 0
  while (head < old.length && head < now.length && old[head] === now[head]) head++
  let tail = 0
  while (tail < Math.min(old.length, now.length) - head && old.at(-1 - tail) === now.at(-1 - tail)) tail++
  const from = Math.max(0, head - CONTEXT)
  const rest = Math.max(0, tail - CONTEXT)
  const lines = [
    ...old.slice(from, head).map((line) => ` ${line}`),
    ...old.slice(head, old.length - tail).map((line) => `-${line}`),
    ...now.slice(head, now.length - tail).map((line) => `+${line}`),
    ...old.slice(old.length - tail, old.length - rest).map((line) => ` ${line}`),
  ]
  const hunk: Hunk = {
    oldStart: old.length === 0 ? 0 : from + 1,
    oldLines: old.length - from - rest,
    newStart: now.length === 0 ? 0 : from + 1,
    newLines: now.length - from - rest,
    lines,
  }
  return patchText(path, [hunk], before === undefined)
}

export interface Hunk {
  oldStart: number
  oldLines: number
  newStart: number
  newLines: number
  lines: string[]
}

/** Claude Code's own hunks as text. */
export function patchText(path: string, hunks: readonly Hunk[], created = false): string {
  if (hunks.length === 0) return ""
  const name = path.replace(/^\//, "")
  const body = hunks.map(
    ({ oldStart, oldLines, newStart, newLines, lines }) =>
      `@@ -${oldStart},${oldLines} +${newStart},${newLines} @@\n${lines.join("\n")}\n`,
  )
  return `--- ${created ? "/dev/null" : `a/${name}`}\n+++ b/${name}\n${body.join("")}`
}

/** Without a last newline the line says so, and differs from the same line with one. */
function linesOf(text: string): string[] {
  if (text === "") return []
  const lines = text.split("\n")
  if (lines.at(-1) === "") return lines.slice(0, -1)
  return [...lines.slice(0, -1), `${lines.at(-1)}\n\\ No newline at end of file`]
}

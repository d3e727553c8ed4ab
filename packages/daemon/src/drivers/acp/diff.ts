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
  const start = (length: number) => (length === 0 ? 0 : from + 1)
  const [was, is] = [old.length - from - rest, now.length - from - rest]
  const name = path.replace(/^\//, "")
  const places = `@@ -${start(old.length)},${was} +${start(now.length)},${is} @@`
  return `--- ${before === undefined ? "/dev/null" : `a/${name}`}\n+++ b/${name}\n${places}\n${lines.join("\n")}\n`
}

/** Without a last newline the line says so, and differs from the same line with one. */
function linesOf(text: string): string[] {
  if (text === "") return []
  const lines = text.split("\n")
  if (lines.at(-1) === "") return lines.slice(0, -1)
  return [...lines.slice(0, -1), `${lines.at(-1)}\n\\ No newline at end of file`]
}

import type { FileChange } from "./transcript.ts"

/** Lines of one side that the other does not have; a line that only moved is on neither. */
function without(lines: readonly string[], others: readonly string[]): string[] {
  const left = new Map<string, number>()
  for (const line of others) left.set(line, (left.get(line) ?? 0) + 1)
  return lines.filter((line) => {
    const count = left.get(line) ?? 0
    if (count > 0) left.set(line, count - 1)
    return count === 0
  })
}

const linesOf = (text: string): string[] => text.replace(/\n$/, "").split("\n")

/** From two texts, as ACP shows a change. */
export function changeOfTexts(path: string, oldText: string | null | undefined, newText: string): FileChange {
  const [before, after] = [oldText ? linesOf(oldText) : [], newText === "" ? [] : linesOf(newText)]
  return { path, added: without(after, before), removed: without(before, after) }
}

/** From a unified diff. */
export function changeOfDiff(path: string, diff: string): FileChange {
  const lines = linesOf(diff)
  const marked = (sign: string, header: string) =>
    lines.filter((line) => line.startsWith(sign) && !line.startsWith(header)).map((line) => line.slice(1))
  const [added, removed] = [marked("+", "+++ "), marked("-", "--- ")]
  return { path, added: without(added, removed), removed: without(removed, added) }
}

/** Several changes of one file are one. */
export function byFile(changes: readonly FileChange[]): FileChange[] {
  return [...Map.groupBy(changes, ({ path }) => path)].map(([path, ofPath]) => ({
    path,
    added: ofPath.flatMap(({ added }) => added),
    removed: ofPath.flatMap(({ removed }) => removed),
  }))
}

const CONTEXT = 3
/** Lines before times lines after, of the changed middle; beyond it the middle is replaced whole: matching it would take seconds. */
const MAX_CELLS = 1_000_000

interface Change {
  sign: " " | "-" | "+"
  line: string
}

/**
 * A unified diff that `patch` and `git apply` take; empty when nothing changed. `undefined`: there was no such file, or
 * there is none any more. Of an empty file that comes or goes it says so and has no hunk.
 */
export function unifiedDiff(path: string, before: string | undefined, after: string | undefined): string {
  if (before === after) return ""
  const hunks = hunksOf(compare(toLines(before ?? ""), toLines(after ?? ""))).map((hunk) => hunk.join(""))
  return diffHeader(before === undefined ? undefined : path, after === undefined ? undefined : path) + hunks.join("")
}

/** `undefined`: the file comes or goes. */
export const diffHeader = (from: string | undefined, to: string | undefined): string =>
  `--- ${diffName("a", from)}\n+++ ${diffName("b", to)}\n`

const diffName = (side: "a" | "b", path: string | undefined): string =>
  path === undefined ? "/dev/null" : `${side}/${path.replace(/^\/+/, "")}`

/** Lines keep their end, so a missing last newline is a difference. */
const toLines = (text: string): string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? []

function compare(a: string[], b: string[]): Change[] {
  let head = 0
  while (head < a.length && head < b.length && a[head] === b[head]) head += 1
  let tail = 0
  while (tail < a.length - head && tail < b.length - head && a.at(-1 - tail) === b.at(-1 - tail)) tail += 1
  const same = (line: string): Change => ({ sign: " ", line })
  return [
    ...a.slice(0, head).map(same),
    ...middle(a.slice(head, a.length - tail), b.slice(head, b.length - tail)),
    ...a.slice(a.length - tail).map(same),
  ]
}

/** Longest common subsequence; removals stand before additions. */
function middle(a: string[], b: string[]): Change[] {
  const removed = (line: string): Change => ({ sign: "-", line })
  const added = (line: string): Change => ({ sign: "+", line })
  if (a.length * b.length > MAX_CELLS) return [...a.map(removed), ...b.map(added)]
  const width = b.length + 1
  const common = new Uint16Array((a.length + 1) * width)
  const at = (i: number, j: number): number => common[i * width + j] ?? 0
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      common[i * width + j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1))
    }
  }
  const changes: Change[] = []
  let [i, j] = [0, 0]
  while (i < a.length || j < b.length) {
    const [left, right] = [a[i], b[j]]
    if (left !== undefined && left === right) {
      changes.push({ sign: " ", line: left })
      i += 1
      j += 1
    } else if (left !== undefined && (right === undefined || at(i + 1, j) >= at(i, j + 1))) {
      changes.push(removed(left))
      i += 1
    } else if (right !== undefined) {
      changes.push(added(right))
      j += 1
    }
  }
  return changes
}

/** Changes no further apart than two contexts share a hunk. */
function hunksOf(changes: Change[]): string[][] {
  const touched = changes.flatMap((change, index) => (change.sign === " " ? [] : [index]))
  const ranges: [number, number][] = []
  for (const index of touched) {
    const last = ranges.at(-1)
    if (last && index - last[1] <= 2 * CONTEXT) last[1] = index
    else ranges.push([index, index])
  }
  return ranges.map(([first, last]) => {
    const from = Math.max(0, first - CONTEXT)
    const body = changes.slice(from, last + CONTEXT + 1)
    const before = changes.slice(0, from)
    return [`@@ -${span(before, body, "+")} +${span(before, body, "-")} @@\n`, ...body.map(render)]
  })
}

/** Start and length on one side; `other` is the sign that does not exist there. An empty side starts at the line before. */
function span(before: Change[], body: Change[], other: "+" | "-"): string {
  const start = before.filter((change) => change.sign !== other).length
  const length = body.filter((change) => change.sign !== other).length
  return `${length === 0 ? start : start + 1},${length}`
}

const render = ({ sign, line }: Change): string =>
  line.endsWith("\n") ? `${sign}${line}` : `${sign}${line}\n\\ No newline at end of file\n`

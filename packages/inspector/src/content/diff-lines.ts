export interface DiffLine {
  kind: "add" | "remove" | "same" | "hunk" | "note"
  text: string
  before?: number
  after?: number
}

/** A unified diff as lines with their numbers. What is none of it is a note. */
export function diffLines(diff: string): DiffLine[] {
  const out: DiffLine[] = []
  let before = 0
  let after = 0
  let inside = false
  for (const line of diff.replace(/\n$/, "").split("\n")) {
    const hunk = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/.exec(line)
    if (hunk) {
      before = Number(hunk[1])
      after = Number(hunk[2])
      inside = true
      out.push({ kind: "hunk", text: line })
    } else if (!inside) {
      if (
        !/^(---|\+\+\+|diff |index |new file|deleted file|old mode|new mode|similarity|rename )/.test(line) &&
        line !== ""
      )
        out.push({ kind: "note", text: line })
    } else if (line.startsWith("diff ")) inside = false
    else if (line.startsWith("+")) out.push({ kind: "add", text: line.slice(1), after: after++ })
    else if (line.startsWith("-")) out.push({ kind: "remove", text: line.slice(1), before: before++ })
    else if (line.startsWith("\\")) out.push({ kind: "note", text: line.slice(2) })
    else out.push({ kind: "same", text: line.slice(1), before: before++, after: after++ })
  }
  return out
}

export interface SideRow {
  left?: DiffLine
  right?: DiffLine
  /** Across both sides. */
  whole?: DiffLine
}

/** What was removed stands beside what took its place. */
export function sideRows(lines: readonly DiffLine[]): SideRow[] {
  const rows: SideRow[] = []
  let removed: DiffLine[] = []
  let added: DiffLine[] = []
  const flush = () => {
    for (let i = 0; i < Math.max(removed.length, added.length); i++)
      rows.push({ ...(removed[i] && { left: removed[i] }), ...(added[i] && { right: added[i] }) })
    removed = []
    added = []
  }
  for (const line of lines) {
    if (line.kind === "remove") removed.push(line)
    else if (line.kind === "add") added.push(line)
    else {
      flush()
      if (line.kind === "same") rows.push({ left: line, right: line })
      else rows.push({ whole: line })
    }
  }
  flush()
  return rows
}

export function counted(lines: readonly DiffLine[]): { added: number; removed: number } {
  const of = (kind: DiffLine["kind"]) => lines.filter((line) => line.kind === kind).length
  return { added: of("add"), removed: of("remove") }
}

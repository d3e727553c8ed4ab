/** One hunk as the two texts ACP wants; `line` is its first line in the new file. */
export interface Change {
  /** `null`: the file is new. */
  oldText: string | null
  newText: string
  line: number
}

const header = /^@@ -\d+(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/

/**
 * A unified diff as its hunks. Clients compare the two texts again, so a hunk with its context is as good as the whole
 * file. A diff that was cut gives what is still whole of it; what is no unified diff gives nothing.
 */
export function changesOf(diff: string): Change[] {
  const lines = diff.split("\n")
  const changes: Change[] = []
  let created = false
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? ""
    if (line.startsWith("--- ")) created = line.startsWith("--- /dev/null")
    const match = header.exec(line)
    if (match === null) continue
    const [, oldCount = "1", start = "1", newCount = "1"] = match
    const hunk = readHunk(lines, at + 1, Number(oldCount), Number(newCount))
    at = hunk.end - 1
    const oldText = created ? null : hunk.old.join("")
    if (hunk.old.length + hunk.new.length > 0)
      changes.push({ oldText, newText: hunk.new.join(""), line: Math.max(1, Number(start)) })
  }
  return changes
}

interface Hunk {
  old: string[]
  new: string[]
  /** The first line that is no longer part of it. */
  end: number
}

/** The counts say where a hunk ends: a removed line may look like a header of the next file. */
function readHunk(lines: readonly string[], from: number, oldCount: number, newCount: number): Hunk {
  const hunk: Hunk = { old: [], new: [], end: from }
  for (; hunk.end < lines.length; hunk.end++) {
    const line = lines[hunk.end] ?? ""
    const [sign, rest] = [line.charAt(0), line.slice(1)]
    if (sign === "\\") {
      withoutNewline(hunk, lines[hunk.end - 1]?.charAt(0))
      continue
    }
    if (hunk.old.length >= oldCount && hunk.new.length >= newCount) break
    if (sign === "-") hunk.old.push(`${rest}\n`)
    else if (sign === "+") hunk.new.push(`${rest}\n`)
    // Some tools write an empty line of context without its blank.
    else if (sign === " " || line === "") for (const side of [hunk.old, hunk.new]) side.push(`${rest}\n`)
    else break
  }
  return hunk
}

function withoutNewline(hunk: Hunk, sign: string | undefined): void {
  const sides = sign === "-" ? [hunk.old] : sign === "+" ? [hunk.new] : [hunk.old, hunk.new]
  for (const side of sides) {
    const last = side.pop()
    if (last !== undefined) side.push(last.replace(/\n$/, ""))
  }
}

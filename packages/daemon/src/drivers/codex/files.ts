import type { ContentPart } from "@sandbox-agent/schema/item"
import type { FileChange } from "./native.ts"

/** A change as a unified diff: of files that come or go Codex gives the mere content. */
export function diffOf({ path, kind, diff }: FileChange): string {
  const name = path.replace(/^\//, "")
  if (kind.type === "add") return `--- /dev/null\n+++ b/${name}\n${hunk(diff, "+")}`
  if (kind.type === "delete") return `--- a/${name}\n+++ /dev/null\n${hunk(diff, "-")}`
  const moved = kind.move_path?.replace(/^\//, "") ?? name
  return `--- a/${name}\n+++ b/${moved}\n${diff}`
}

function hunk(content: string, sign: "+" | "-"): string {
  if (content === "") return ""
  const ends = content.endsWith("\n")
  const lines = (ends ? content.slice(0, -1) : content).split("\n")
  const range = sign === "+" ? `@@ -0,0 +1,${lines.length} @@` : `@@ -1,${lines.length} +0,0 @@`
  const tail = ends ? "" : "\\ No newline at end of file\n"
  return `${range}\n${lines.map((line) => `${sign}${line}\n`).join("")}${tail}`
}

export const fileRefs = (changes: readonly FileChange[]): ContentPart[] =>
  changes.map((change) => ({
    type: "file_ref",
    path: change.kind.move_path ?? change.path,
    action: change.kind.type === "add" ? "write" : "patch",
    diff: diffOf(change),
  }))

const letters: Record<string, string> = { add: "A", delete: "D", update: "M" }

/** One line per file, as Codex itself tells the model. */
export const summaryOf = (changes: readonly FileChange[]): string =>
  changes.map(({ path, kind }) => `${letters[kind.type] ?? "M"} ${path}`).join("\n")

export const pathsOf = (changes: readonly FileChange[]): string[] =>
  changes.flatMap(({ path, kind }) => (kind.move_path ? [path, kind.move_path] : [path]))

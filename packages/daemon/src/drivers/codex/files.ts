import type { ContentPart } from "@sandbox-agent/schema/item"
import { diffHeader, unifiedDiff } from "../shared/unified-diff.ts"
import type { FileChange } from "./native.ts"

/** A change as a unified diff: of files that come or go Codex gives the mere content. */
export function diffOf({ path, kind, diff }: FileChange): string {
  if (kind.type === "add") return unifiedDiff(path, undefined, diff)
  if (kind.type === "delete") return unifiedDiff(path, diff, undefined)
  return diffHeader(path, kind.move_path ?? path) + diff
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

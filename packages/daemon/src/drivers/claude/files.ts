import type { ContentPart } from "@sandbox-agent/schema/item"
import type { Confinement } from "../../files/confinement.ts"
import { contentBefore } from "../shared/compared-file.ts"
import { type Json, record, text } from "../shared/json.ts"
import { diffHeader, unifiedDiff } from "../shared/unified-diff.ts"
import { fileTools, pathOf } from "./tool-call.ts"

type FileRef = Extract<ContentPart, { type: "file_ref" }>

/** What a finished tool did to a file. Sub-agents bring no structured result: then the call must do. */
export function fileRef(name: string, input: Json, result: unknown): FileRef | undefined {
  const done = record(result)
  if (name === "Read") {
    const path = text(record(done.file).filePath) ?? pathOf(input)
    return path === undefined ? undefined : { type: "file_ref", path, action: "read" }
  }
  if (!fileTools.includes(name)) return undefined
  const path = text(done.filePath) ?? pathOf(input)
  if (path === undefined) return undefined
  const diff = diffOf(path, done)
  return { type: "file_ref", path, action: name === "Write" ? "write" : "patch", ...(diff && { diff }) }
}

function diffOf(path: string, done: Json): string {
  const content = text(done.content)
  if (done.type === "create" && content !== undefined) return unifiedDiff(path, undefined, content)
  return Array.isArray(done.structuredPatch) ? patchText(path, done.structuredPatch as Hunk[]) : ""
}

interface Hunk {
  oldStart: number
  oldLines: number
  newStart: number
  newLines: number
  lines: string[]
}

/** Claude Code's own hunks as text. */
function patchText(path: string, hunks: readonly Hunk[]): string {
  const body = hunks.map(
    ({ oldStart, oldLines, newStart, newLines, lines }) =>
      `@@ -${oldStart},${oldLines} +${newStart},${newLines} @@\n${lines.join("\n")}\n`,
  )
  return body.length === 0 ? "" : diffHeader(path, path) + body.join("")
}

/** What a tool that asks would do to a file. */
export async function proposedDiff(name: string, input: Json, reach: Confinement): Promise<string | undefined> {
  const path = pathOf(input)
  if (path === undefined) return undefined
  const before = await contentBefore(path, reach)
  if (before === null) return undefined
  const after = name === "Write" ? text(input.content) : edited(before ?? "", name, input)
  return after === undefined ? undefined : unifiedDiff(path, before, after) || undefined
}

function edited(before: string, name: string, input: Json): string | undefined {
  if (name === "NotebookEdit") return undefined
  const edits = Array.isArray(input.edits) ? input.edits.map(record) : [input]
  return edits.reduce<string | undefined>((so, { old_string, new_string, replace_all }) => {
    const [old, fresh] = [text(old_string), text(new_string)]
    if (so === undefined || old === undefined || fresh === undefined) return undefined
    if (old === "") return fresh
    return replace_all === true ? so.replaceAll(old, () => fresh) : so.replace(old, () => fresh)
  }, before)
}

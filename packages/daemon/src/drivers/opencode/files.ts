import { resolve } from "node:path"
import type { ContentPart } from "@sandbox-agent/schema/item"
import { type Json, record, text } from "../shared/json.ts"
import { unifiedDiff } from "../shared/unified-diff.ts"
import type { ToolPart } from "./native.ts"

type FileRef = Extract<ContentPart, { type: "file_ref" }>

/** What a finished tool did to files. Of a written file only the permission that was asked for it shows the difference. */
export function fileRefs(part: ToolPart, directory: string, askedDiff: string | undefined): FileRef[] {
  if (part.state.status !== "completed") return []
  const { input, metadata } = part.state
  const given = text(input.filePath)
  const path = given === undefined ? undefined : resolve(directory, given)
  switch (part.tool) {
    case "read":
      return path === undefined ? [] : [{ type: "file_ref", path, action: "read" }]
    case "write":
      return written(path, input, metadata, askedDiff)
    case "edit":
      return edited(path, metadata)
    case "apply_patch":
      return patched(metadata, directory)
    default:
      return []
  }
}

function written(path: string | undefined, input: Json, metadata: Json, asked: string | undefined): FileRef[] {
  const file = text(metadata.filepath) ?? path
  if (file === undefined) return []
  const diff =
    asked ?? (metadata.exists === false ? unifiedDiff(file, undefined, text(input.content) ?? "") : undefined)
  return [{ type: "file_ref", path: file, action: "write", ...(diff && { diff }) }]
}

function edited(path: string | undefined, metadata: Json): FileRef[] {
  const change = record(metadata.filediff)
  const file = text(change.file) ?? path
  const diff = text(change.patch) ?? text(metadata.diff)
  return file === undefined ? [] : [{ type: "file_ref", path: file, action: "patch", ...(diff && { diff }) }]
}

function patched(metadata: Json, directory: string): FileRef[] {
  const files = Array.isArray(metadata.files) ? metadata.files.map(record) : []
  return files.flatMap((file) => {
    const path = text(file.movePath) ?? text(file.filePath) ?? text(file.relativePath)
    const diff = text(file.patch) ?? text(file.diff)
    return path === undefined
      ? []
      : [{ type: "file_ref" as const, path: resolve(directory, path), action: "patch" as const, ...(diff && { diff }) }]
  })
}

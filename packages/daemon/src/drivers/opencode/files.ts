import { resolve } from "node:path"
import type { ContentPart } from "@sandbox-agent/schema/item"
import { asTable, type Table, type ToolPart, textIn } from "./native.ts"

type FileRef = Extract<ContentPart, { type: "file_ref" }>

/** What a finished tool did to files. Of a written file only the permission that was asked for it shows the difference. */
export function fileRefs(part: ToolPart, directory: string, askedDiff: string | undefined): FileRef[] {
  if (part.state.status !== "completed") return []
  const { input, metadata } = part.state
  const given = textIn(input, "filePath")
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

function written(path: string | undefined, input: Table, metadata: Table, asked: string | undefined): FileRef[] {
  const file = textIn(metadata, "filepath") ?? path
  if (file === undefined) return []
  const diff = asked ?? (metadata.exists === false ? newFile(file, textIn(input, "content") ?? "") : undefined)
  return [{ type: "file_ref", path: file, action: "write", ...(diff && { diff }) }]
}

function edited(path: string | undefined, metadata: Table): FileRef[] {
  const change = asTable(metadata.filediff)
  const file = textIn(change, "file") ?? path
  const diff = textIn(change, "patch") ?? textIn(metadata, "diff")
  return file === undefined ? [] : [{ type: "file_ref", path: file, action: "patch", ...(diff && { diff }) }]
}

function patched(metadata: Table, directory: string): FileRef[] {
  const files = Array.isArray(metadata.files) ? metadata.files.map(asTable) : []
  return files.flatMap((file) => {
    const path = textIn(file, "movePath") ?? textIn(file, "filePath") ?? textIn(file, "relativePath")
    const diff = textIn(file, "patch") ?? textIn(file, "diff")
    return path === undefined
      ? []
      : [{ type: "file_ref" as const, path: resolve(directory, path), action: "patch" as const, ...(diff && { diff }) }]
  })
}

function newFile(path: string, content: string): string {
  if (content === "") return ""
  const whole = content.endsWith("\n")
  const lines = (whole ? content.slice(0, -1) : content).split("\n")
  const added = lines.map((line) => `+${line}`).join("\n")
  const end = whole ? "" : "\n\\ No newline at end of file"
  return `--- /dev/null\n+++ b/${path.replace(/^\//, "")}\n@@ -0,0 +1,${lines.length} @@\n${added}${end}\n`
}

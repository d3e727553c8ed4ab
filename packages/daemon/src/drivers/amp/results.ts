import { isAbsolute, resolve } from "node:path"
import { fileURLToPath } from "node:url"
import type { ContentPart } from "@sandbox-agent/schema/item"
import { type Json, list, number, record, text } from "../shared/json.ts"
import type { Call } from "../shared/waiting-calls.ts"
import { commandTools, fileTools, pathOf } from "./tools.ts"

type FileRef = Extract<ContentPart, { type: "file_ref" }>

export interface Result {
  output: string
  failed: boolean
  files: FileRef[]
}

/** What a tool said. Amp's own tools put JSON into the text. `diff`: what was foreseen when it was asked for. */
export function resultOf(call: Call, content: unknown, isError: boolean, directory: string, diff?: string): Result {
  const said = text(content) ?? (content === undefined ? "" : JSON.stringify(content))
  const data = isError ? undefined : jsonIn(said)
  if (data !== undefined && commandTools.includes(call.name)) {
    const code = number(record(data).exitCode)
    const output = text(record(data).output)
    if (output !== undefined) return { output, failed: code !== undefined && code !== 0, files: [] }
  }
  const output = call.name.startsWith("mcp__") ? (textsIn(data) ?? said) : said
  return { output, failed: isError, files: isError ? [] : filesOf(call, record(data), directory, diff) }
}

function filesOf(call: Call, data: Json, directory: string, foreseen: string | undefined): FileRef[] {
  const patched = call.name === "apply_patch" ? list(data.files).map(record) : []
  if (patched.length > 0) return patched.flatMap((file) => patchedFile(file, directory))
  const path = text(data.absolutePath) ?? pathOf(call.input)
  if (path === undefined) return []
  const file = { type: "file_ref" as const, path: isAbsolute(path) ? path : resolve(directory, path) }
  if (call.name === "Read") return [{ ...file, action: "read" }]
  if (!fileTools.includes(call.name)) return []
  const diff = foreseen ?? fenced(text(data.diff))
  return [{ ...file, action: call.name === "create_file" ? "write" : "patch", ...(diff && { diff }) }]
}

function patchedFile(file: Json, directory: string): FileRef[] {
  const [uri, path] = [text(file.uri), text(file.path)]
  const place = uri?.startsWith("file://") ? fileURLToPath(uri) : path && resolve(directory, path)
  if (!place) return []
  const diff = text(file.diff)
  return [{ type: "file_ref", path: place, action: "patch", ...(diff && { diff }) }]
}

/** Without the fence of a code block. */
const fenced = (diff: string | undefined): string | undefined => diff?.replace(/^```diff\n([\s\S]*?)\n?```$/, "$1")

function jsonIn(said: string): unknown {
  if (!/^\s*[[{]/.test(said)) return undefined
  try {
    return JSON.parse(said)
  } catch {
    return undefined
  }
}

/** The text in blocks of MCP. */
function textsIn(data: unknown): string | undefined {
  if (!Array.isArray(data)) return undefined
  const texts = data.flatMap((block) => text(record(block).text) ?? [])
  return texts.length === data.length ? texts.join("\n") : undefined
}

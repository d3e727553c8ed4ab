import type { ContentPart } from "@sandbox-agent/schema/item"
import { list, number, record, text } from "../shared/json.ts"
import { unifiedDiff } from "../shared/unified-diff.ts"
import type { Contents } from "./content.ts"
import { isFinal, pathOf, type Tool } from "./tool.ts"

/** What came of a call: its output, the files it changed and the pictures it brought. */
export function resultParts(tool: Tool, contents: Contents, terminalText: string): ContentPart[] {
  const failed = hasFailed(tool)
  const code = exitCodeOf(tool)
  const { refusal } = tool
  const refused = refusal === undefined ? "" : refusal === "" ? "The user refused it" : `The user refused: ${refusal}`
  const said = [outputOf(tool, terminalText), refused]
  const result: ContentPart = {
    type: "tool_result",
    call_id: tool.id,
    output: said.filter(Boolean).join("\n"),
    ...(failed && { is_error: true }),
  }
  const facts: ContentPart[] = code === undefined ? [] : [{ type: "json", json: { exitCode: code } }]
  return failed ? [result, ...facts] : [result, ...facts, ...changes(tool), ...pictures(tool, contents)]
}

/** Some say `completed` of a command that ran, whatever its code. */
export const hasFailed = (tool: Tool): boolean => tool.status === "failed" || (exitCodeOf(tool) ?? 0) !== 0

function exitCodeOf({ output, exitCode }: Tool): number | undefined {
  const { exitCode: camel, exit_code: snake } = record(output)
  return exitCode ?? number(camel) ?? number(snake)
}

/** The tool's own words before those that are laid out for an editor. */
function outputOf({ output, content, status }: Tool, terminalText: string): string {
  if (typeof output === "string") return output
  if (terminalText !== "") return terminalText
  const fields = record(output)
  const found = [fields.output, fields.formatted_output, fields.stdout, fields.text].map(text).find(Boolean)
  if (found !== undefined) return found
  const shown = content.flatMap(shownText).join("\n")
  if (shown !== "" || output === undefined || output === null) return shown
  // Of tools of MCP servers Codex gives the whole answer.
  const whole = list(fields.content ?? record(fields.result).content).flatMap((block) => text(record(block).text) ?? [])
  const failure = text(fields.error) ?? text(record(fields.error).message)
  if (failure !== undefined && status === "failed") return [failure, ...whole].join("\n")
  return whole.length > 0 ? whole.join("\n") : JSON.stringify(output)
}

function shownText(block: unknown): string[] {
  const { type, content } = record(block)
  if (type !== "content") return []
  const { type: kind, text: said, resource } = record(content)
  if (kind === "text") return [text(said) ?? ""]
  return kind === "resource" ? [text(record(resource).text) ?? ""] : []
}

type FileRef = Extract<ContentPart, { type: "file_ref" }>

/** Files that were changed, with what changed; of a reading tool the file that was read. */
function changes(tool: Tool): FileRef[] {
  const changed = diffs(tool).map(({ path, before, after }): FileRef => {
    const diff = unifiedDiff(path, before, after)
    return { type: "file_ref", path, action: before === undefined ? "write" : "patch", ...(diff && { diff }) }
  })
  if (changed.length > 0) return changed
  const path = pathOf(tool)
  if (path === undefined || !isFinal(tool)) return []
  if (tool.kind === "read") return [{ type: "file_ref", path, action: "read" }]
  return tool.kind === "edit" ? [{ type: "file_ref", path, action: "patch" }] : []
}

export interface Change {
  path: string
  /** `undefined`: the file is new. */
  before: string | undefined
  after: string
}

export const diffs = ({ changed }: Tool): Change[] =>
  changed.flatMap((block) => {
    const { type, path, oldText, newText } = record(block)
    if (type !== "diff" || text(path) === undefined) return []
    return [{ path: text(path) ?? "", before: text(oldText), after: text(newText) ?? "" }]
  })

export const diffText = (tool: Tool): string | undefined =>
  diffs(tool)
    .map(({ path, before, after }) => unifiedDiff(path, before, after))
    .join("") || undefined

function pictures({ content }: Tool, contents: Contents): ContentPart[] {
  return content.flatMap((block) => {
    const inner = record(record(block).content)
    const part = inner.type === "image" ? contents.part(inner) : undefined
    return part === undefined ? [] : [part]
  })
}

import type { ContentPart, Item } from "@sandbox-agent/schema/item"
import type { Paint } from "../print.ts"
import { fit } from "../table.ts"
import { cleanLines } from "./wrap.ts"

/** Lines of output that are shown of a call that went well, and of one that failed. */
const outputLines = { good: 4, failed: 12 } as const
const diffLines = 40

type ToolCall = Extract<ContentPart, { type: "tool_call" }>
type ToolResult = Extract<ContentPart, { type: "tool_result" }>

/** Names that the main argument of a tool has, the most telling first. */
const telling = ["command", "cmd", "file_path", "filePath", "path", "pattern", "query", "url", "description", "prompt"]

/** What a call does, in a few words. */
export function callWords({ name, title, arguments: text }: ToolCall): string {
  const argument = mainArgument(text)
  // A title that is only the end of the path says nothing that the path does not.
  const words = title === undefined || argument.endsWith(`/${title}`) ? name : title
  return argument === "" || words.includes(argument) ? words : `${words} ${argument}`
}

function mainArgument(text: string): string {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return text.trim()
  }
  if (typeof value === "string") return value
  if (typeof value !== "object" || value === null) return ""
  const fields = value as Record<string, unknown>
  const named = telling.map((name) => fields[name]).find((one) => one !== undefined)
  const found = named ?? Object.values(fields).find((one) => typeof one === "string")
  return Array.isArray(found) ? found.join(" ") : typeof found === "string" ? found : ""
}

/** How things look where they are shown. */
export interface Look {
  readonly paint: Paint
  readonly width: number
  /** A text with its paths as short as they can be. */
  readonly short: (text: string) => string
}

/** One line for the call and how it ended; below it the change it made, or the end of what it said. */
export function toolRows(
  call: Item | undefined,
  result: Item | undefined,
  seconds: number | undefined,
  { paint, width, short }: Look,
): string[] {
  const called = call?.content.find((part): part is ToolCall => part.type === "tool_call")
  const answered = result?.content.find((part): part is ToolResult => part.type === "tool_result")
  const failed = answered?.is_error === true || result?.status === "failed" || call?.status === "failed"
  const took = seconds !== undefined && seconds >= 1 ? `  ${seconds.toFixed(1)} s` : ""
  const sign = failed ? paint("red", "✗") : paint("green", "✓")
  const words = short(cleanLines(called === undefined ? "tool" : callWords(called)).join(" "))
  const head = `${sign} ${fit(words, Math.max(10, width - 2 - took.length))}${paint("dim", took)}`
  const parts = [...(call?.content ?? []), ...(result?.content ?? [])]
  const changes = parts.flatMap((part) =>
    part.type === "file_ref" && part.diff ? diffRows(part.diff, paint, width) : [],
  )
  if (changes.length > 0 && !failed) return [head, ...changes]
  return [head, ...outputRows(answered?.output ?? "", failed, paint, width)]
}

function outputRows(output: string, failed: boolean, paint: Paint, width: number): string[] {
  const lines = cleanLines(output.trimEnd()).filter((line) => line.trim() !== "")
  const most = failed ? outputLines.failed : outputLines.good
  const more = lines.length - most
  const shown = more > 0 ? [`… ${more} more lines`, ...lines.slice(-most)] : lines
  return shown.map((line) => `  ${paint(failed ? "red" : "dim", fit(line, width - 2))}`)
}

/** A unified diff, bounded, with signs as well as colours. */
export function diffRows(diff: string, paint: Paint, width: number): string[] {
  const lines = cleanLines(diff.trimEnd()).filter(
    (line) => !/^(diff --git|index |--- |\+\+\+ |\\ No newline)/.test(line),
  )
  const more = lines.length - diffLines
  const rows = lines.slice(0, diffLines).map((line) => {
    const text = `  ${fit(line.replace(/^-/, "−"), width - 2)}`
    return line.startsWith("+") ? paint("green", text) : line.startsWith("-") ? paint("red", text) : paint("dim", text)
  })
  return more > 0 ? [...rows, paint("dim", `  … ${more} more lines`)] : rows
}

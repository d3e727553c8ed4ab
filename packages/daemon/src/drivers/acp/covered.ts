import { shellWord } from "@sandbox-agent/schema/shell-word"
import { type Json, list, record, text } from "../shared/json.ts"
import { inputOf, nameOf, type Tool } from "./tool.ts"

/** What a call would do, taken apart. What is not understood of it stays beside that: it is shown, and a rule covers it as it is. */
export interface Wanted {
  command?: string
  cwd?: string
  /** Of a change every file that it names. */
  paths: readonly string[]
  /** Of its arguments. */
  otherInput?: unknown
  /** Of its content, beside diffs and its terminal. */
  otherContent: readonly Json[]
  /** Those of a command, which say more than the files that it would change. */
  locations: readonly unknown[]
}

/** Arguments of editing tools that name a file. */
const pathNames = new Set([
  ...["file_path", "filePath", "path", "abs_path", "absolute_path", "notebook_path"],
  ...["old_path", "oldPath", "new_path", "newPath", "source", "destination"],
])

/** Those that say what to write into it. */
const textNames = new Set([
  ...["content", "file_text", "new_source", "instruction", "description", "replace_all", "replaceAll"],
  ...["old_string", "new_string", "oldString", "newString", "old_str", "new_str", "old_text", "new_text"],
  ...["oldText", "newText", "expected_replacements"],
])

export const isChange = ({ kind }: Pick<Tool, "kind">): boolean =>
  kind === "edit" || kind === "delete" || kind === "move"

export function wantedBy(tool: Tool): Wanted {
  const otherContent = contentBeside(tool)
  const { locations } = tool
  if (tool.kind === "execute") return { ...commandIn(tool), paths: [], otherContent, locations }
  if (!isChange(tool)) return { paths: [], otherInput: tool.input, otherContent, locations }
  const paths = new Set<string>()
  for (const block of [...tool.content, ...tool.changed, ...tool.locations]) {
    const path = text(record(block).path)
    if (path !== undefined) paths.add(path)
  }
  const otherInput = beside(tool.input, paths)
  return { paths: [...paths], ...(otherInput !== undefined && { otherInput }), otherContent, locations: [] }
}

/** A command in words that a shell would read as it was meant: two that differ look different. */
function commandIn({ input, title }: Tool): Pick<Wanted, "command" | "cwd" | "otherInput"> {
  if (typeof input === "string" && input !== "") return { command: input }
  const { command, cmd, args, cwd, description: _, ...others } = record(input)
  const given = command ?? cmd
  const spare = command !== undefined && cmd !== undefined ? { ...others, cmd } : others
  const words = wordsIn(given) ?? text(given)
  if (words === undefined) {
    const all = record(input)
    return { ...(title !== undefined && { command: title }), ...(Object.keys(all).length > 0 && { otherInput: all }) }
  }
  const more = wordsIn(args)
  const rest = {
    ...spare,
    ...(args !== undefined && more === undefined && { args }),
    ...(cwd !== undefined && text(cwd) === undefined && { cwd }),
  }
  return {
    command: more ? `${words} ${more}` : words,
    ...(text(cwd) !== undefined && { cwd: text(cwd) }),
    ...(Object.keys(rest).length > 0 && { otherInput: rest }),
  }
}

const wordsIn = (given: unknown): string | undefined =>
  Array.isArray(given) && given.every((word) => typeof word === "string") ? given.map(shellWord).join(" ") : undefined

/** Collects the files, and leaves out what is to be written into them. `undefined`: nothing is left. */
function beside(value: unknown, paths: Set<string>, name = ""): unknown {
  if (typeof value !== "object" || value === null) {
    if (value === undefined || textNames.has(name)) return undefined
    if (typeof value !== "string" || !pathNames.has(name)) return value
    paths.add(value)
    return undefined
  }
  if (Array.isArray(value)) {
    const left = value.map((one) => beside(one, paths)).filter((one) => one !== undefined)
    return left.length === 0 ? undefined : left
  }
  const left = Object.entries(value).flatMap(([key, one]) => {
    const rest = beside(one, paths, key)
    return rest === undefined ? [] : [[key, rest] as const]
  })
  return left.length === 0 ? undefined : Object.fromEntries(left)
}

/** Without diffs of a change, which are those of its files, without where its output will be, and without what its arguments say again. */
function contentBeside(tool: Tool): Json[] {
  const said = text(record(tool.input).description)
  return tool.content.map(record).filter(({ type, content }) => {
    if (type === "terminal" || (type === "diff" && isChange(tool))) return false
    return said === undefined || record(content).type !== "text" || record(content).text !== said
  })
}

/** What "always" means for the rest of the session: this command, every change of these files, else exactly this call. */
export function ruleOf(tool: Tool, wanted: Wanted): string {
  const { command, cwd, paths, otherInput, otherContent, locations } = wanted
  const rest = { ...(otherInput !== undefined && { otherInput }), ...some({ otherContent, locations }) }
  if (command !== undefined) return exact("run", command, { ...(cwd !== undefined && { cwd }), ...rest })
  const [path, ...more] = paths.toSorted((a, b) => (a < b ? -1 : 1))
  if (path !== undefined) return exact("edit", path, { ...some({ more }), ...rest })
  const { kind, title } = tool
  return `call ${JSON.stringify([kind, nameOf(tool), title, inputOf(tool), otherContent, locations])}`
}

/** One with nothing beside it is its plain text; the others are no text that a plain one could have. */
const exact = (verb: string, subject: string, rest: object): string =>
  Object.keys(rest).length === 0 ? `${verb} ${subject}` : `${verb}-exactly ${JSON.stringify([subject, rest])}`

const some = (lists: Record<string, readonly unknown[]>): Json =>
  Object.fromEntries(Object.entries(lists).filter(([, given]) => list(given).length > 0))

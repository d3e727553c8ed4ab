import type { Event } from "@sandbox-agent/schema/event"
import type { Item } from "@sandbox-agent/schema/item"
import type { Question } from "@sandbox-agent/schema/request"
import { cellWords, headings } from "./cell-words.ts"
import { itemText, summaryOf } from "./event-text.ts"
import { type Paint, paintFor, type Terminal } from "./print.ts"
import { cellText, keyValues, table, tabSeparated } from "./table.ts"
import { Transcript } from "./transcript.ts"

type Row = Record<string, unknown>

/** The columns of each list the API answers with; scripts that cut columns rely on their order. */
export const columns: Readonly<Record<string, readonly string[]>> = {
  agents: ["id", "installed", "version", "credentials", "stability", "name"],
  modes: ["id", "name", "description"],
  models: ["id", "name", "defaultVariant", "variants"],
  sessions: ["id", "agent", "status", "updatedAt", "title", "directory"],
  items: ["item_id", "kind", "role", "status", "text"],
  events: ["sequence", "time", "type", "text"],
  permissions: ["permission_id", "kind", "status", "action", "detail"],
  entries: ["mode", "size", "modified", "entryType", "path"],
  questions: ["question_id", "status", "prompt", "options"],
  processes: ["id", "status", "pid", "createdAtMs", "command", "cwd"],
  terminals: ["id", "status", "pid", "createdAtMs", "command", "cwd"],
  servers: ["serverId", "agent", "createdAtMs"],
}

const isRows = (value: unknown): value is Row[] =>
  Array.isArray(value) && value.every((row) => typeof row === "object" && row !== null && !Array.isArray(row))

const isObject = (value: unknown): value is Row => typeof value === "object" && value !== null && !Array.isArray(value)

function cells(list: string, row: Row, shown = false): string[] {
  const text =
    list === "items"
      ? itemText(row as unknown as Item)
      : list === "events"
        ? summaryOf(row as unknown as Event)
        : undefined
  const names = columnsOf(list, row)
  const given = "args" in row ? { ...row, command: commandLine(row) } : row
  const words = (name: string): unknown => (shown ? cellWords(name, given[name]) : given[name])
  return names.map((name) => cellText(name === "text" ? text : words(name)))
}

/** Lists of one name are not always of one kind: where nothing is as expected, each field is a column. */
function columnsOf(list: string, row: Row): readonly string[] {
  const known = columns[list]
  if (known === undefined) return scalarKeys(row)
  return known.some((name) => name === "text" || name in row) ? known : Object.keys(row)
}

const commandLine = ({ command, args }: Row): string => [command, ...(args as string[])].join(" ")

const scalarKeys = (row: Row): string[] => Object.keys(row).filter((key) => typeof row[key] !== "object")

/** A JSON answer for people: tables and keys on a terminal, tabs and `key: value` in a pipe. */
export function answerText(value: unknown, terminal: Terminal): string {
  const paint = paintFor(terminal)
  // The one list that comes bare.
  if (isRows(value)) return value.length === 0 ? "" : answerText({ entries: value }, terminal)
  if (!isObject(value)) return `${cellText(value)}\n`
  // A document of its own kind, such as the OpenAPI file, is shown as what it is.
  if ("openapi" in value) return `${JSON.stringify(value, null, 2)}\n`
  const lists = Object.keys(value).filter((key) => Object.hasOwn(columns, key) && isRows(value[key]))
  if (lists.length === 0) return keyValues(value, paint)
  if (!terminal.tty) return lists.map((list) => plainList(list, rowsOf(list, value), lists.length > 1)).join("")
  const rest = Object.fromEntries(Object.entries(value).filter(([key]) => !lists.includes(key)))
  return (
    lists.map((list) => shownList(list, rowsOf(list, value), terminal, paint)).join("\n") +
    paint(
      "dim",
      keyValues(rest, (_, t) => t),
    )
  )
}

/** What is asked together is a row each, with the id that answers all of it. */
function rowsOf(list: string, value: Row): Row[] {
  const rows = value[list] as Row[]
  if (list !== "questions") return rows
  return (rows as unknown as Partial<Question>[]).flatMap(({ questions, ...whole }): Row[] =>
    questions === undefined
      ? [whole]
      : questions.map(({ prompt, options }) => ({ ...whole, prompt, options: options.map(({ label }) => label) })),
  )
}

/** Where an answer has several lists, each row begins with the name of its own. */
const plainList = (list: string, rows: Row[], named: boolean): string =>
  tabSeparated(rows.map((row) => (named ? [list, ...cells(list, row)] : cells(list, row))))

function shownList(list: string, rows: Row[], terminal: Terminal, paint: Paint): string {
  if (rows.length === 0) return `${paint("dim", `no ${list}`)}\n`
  if (list !== "items")
    return table(
      columnsOf(list, rows[0] ?? {}).map((name) => headings[name] ?? name),
      rows.map((row) => cells(list, row, true)),
      terminal,
    )
  const transcript = new Transcript(paint)
  return rows.map((row) => transcript.item(row as unknown as Item)).join("") + transcript.end()
}

import { readFileSync } from "node:fs"
import { join } from "node:path"
import { acpLimits } from "@sandbox-agent/schema/acp-limits"
import { configLimits } from "@sandbox-agent/schema/config-limits"
import * as driverLimits from "@sandbox-agent/schema/driver-limits"
import * as fileLimits from "@sandbox-agent/schema/file-limits"
import { installLimits } from "@sandbox-agent/schema/install-limits"
import { intervals } from "@sandbox-agent/schema/intervals"
import { limits } from "@sandbox-agent/schema/limits"
import { processLimits } from "@sandbox-agent/schema/process-limits"
import { escapeMdx } from "./head.ts"
import { table } from "./table.ts"

const source = (file: string): string =>
  readFileSync(join(import.meta.dirname, "../../packages/schema/src", `${file}.ts`), "utf8")

/** What the comments of an object say of its members: each has its own. */
function told(file: string, object: string): Map<string, string> {
  const [, body = ""] =
    new RegExp(`export const ${object} = \\{\\n([\\s\\S]*?)\\n\\} as const`).exec(source(file)) ?? []
  const found = new Map<string, string>()
  let said = ""
  for (const [, comment, name] of body.matchAll(/\/\*\*([\s\S]*?)\*\/|^ {2}(\w+):/gm)) {
    if (comment !== undefined) said = comment.replaceAll(/\s*\n\s*\*?\s*/g, " ").trim()
    else if (name !== undefined) {
      if (said === "") throw new Error(`${file}.ts: ${object}.${name} has no comment of its own`)
      found.set(name, said)
      said = ""
    }
  }
  return found
}

const MiB = 2 ** 20

const units: readonly [ms: number, one: string, more: string][] = [
  [24 * 3_600_000, "day", "days"],
  [3_600_000, "hour", "hours"],
  [60_000, "min", "min"],
]

function duration(ms: number): string {
  for (const [size, one, more] of units)
    if (ms >= size && ms % size === 0) return `${ms / size} ${ms === size ? one : more}`
  return ms >= 1_000 ? `${ms / 1_000} s` : `${ms} ms`
}

/** A number with the unit that its name ends with. */
export function amount(name: string, value: number): string {
  if (name.endsWith("Bytes") || name.endsWith("bytes")) {
    if (value >= MiB && value % MiB === 0) return `${(value / MiB).toLocaleString("en")} MiB`
    return value % 1024 === 0 ? `${value / 1024} KiB` : `${value.toLocaleString("en")} bytes`
  }
  if (name.endsWith("Ms")) return duration(value)
  if (name.endsWith("Seconds")) return duration(value * 1_000)
  if (name.endsWith("Share")) return `${value * 100} %`
  return value.toLocaleString("en")
}

const sections: readonly [title: string, file: string, object: string, values: object][] = [
  ["Requests, sessions, events, streams", "limits", "limits", limits],
  ["Installing agents", "install-limits", "installLimits", installLimits],
  ["ACP clients", "acp-limits", "acpLimits", acpLimits],
  ["Processes and terminals", "process-limits", "processLimits", processLimits],
  ["MCP servers and skills of directories", "config-limits", "configLimits", configLimits],
  ["Files", "file-limits", "fileLimits", fileLimits.fileLimits],
  ...Object.entries(driverLimits)
    .filter(([, values]) => typeof values === "object")
    .map(([object, values]): [string, string, string, object] => [titleOf(object), "driver-limits", object, values]),
]

function titleOf(object: string): string {
  const words = object.replace(/Limits$/, "").replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
  return `Driver: ${words}`
}

export const limitSections = (): string =>
  sections
    .map(([title, file, object, values]) => {
      const words = told(file, object)
      const rows = Object.entries(values as Record<string, unknown>).flatMap(([name, value]) =>
        typeof value === "number" ? [[`\`${name}\``, amount(name, value), escapeMdx(words.get(name) ?? "")]] : [],
      )
      return `<details>\n<summary>${title}</summary>\n\n${table(["name", "bound", "of what"], rows)}\n\n</details>`
    })
    .join("\n\n")

export function intervalRows(): string {
  const words = told("intervals", "intervals")
  const rows = Object.entries(intervals).map(([name, value]) => [
    `\`${name}\``,
    amount(name, value),
    escapeMdx(words.get(name) ?? ""),
  ])
  return table(["name", "default", "what is waited for"], rows)
}

import { readFileSync } from "node:fs"
import { join } from "node:path"
import * as driverLimits from "@sandbox-agent/schema/driver-limits"
import * as fileLimits from "@sandbox-agent/schema/file-limits"
import { intervals } from "@sandbox-agent/schema/intervals"
import * as limits from "@sandbox-agent/schema/limits"
import { escapeMdx } from "./head.ts"
import { table } from "./table.ts"

const source = (file: string): string =>
  readFileSync(join(import.meta.dirname, "../../packages/schema/src", `${file}.ts`), "utf8")

/** What the comments of an object say of its members; several members may share one. */
function told(file: string, object: string): Map<string, string> {
  const [, body = ""] =
    new RegExp(`export const ${object} = \\{\\n([\\s\\S]*?)\\n\\} as const`).exec(source(file)) ?? []
  const found = new Map<string, string>()
  let said = ""
  for (const [, comment, name] of body.matchAll(/\/\*\*([\s\S]*?)\*\/|^ {2}(\w+):/gm)) {
    if (comment !== undefined) said = comment.replaceAll(/\s*\n\s*\*?\s*/g, " ").trim()
    else if (name !== undefined) found.set(name, said)
  }
  return found
}

const MiB = 2 ** 20

/** A number with the unit that its name ends with. */
export function amount(name: string, value: number): string {
  if (name.endsWith("Bytes") || name.endsWith("bytes")) {
    if (value >= MiB && value % MiB === 0) return `${(value / MiB).toLocaleString("en")} MiB`
    return value % 1024 === 0 ? `${value / 1024} KiB` : `${value.toLocaleString("en")} bytes`
  }
  if (name.endsWith("Ms")) {
    if (value >= 60_000 && value % 60_000 === 0) return `${(value / 60_000).toLocaleString("en")} min`
    return value >= 1_000 && value % 1_000 === 0 ? `${value / 1_000} s` : `${value} ms`
  }
  return value.toLocaleString("en")
}

const sections: readonly [title: string, file: string, object: string, values: object][] = [
  ["Requests, sessions, events, streams", "limits", "limits", limits.limits],
  ["ACP clients", "limits", "acpLimits", limits.acpLimits],
  ["Processes and terminals", "limits", "processLimits", limits.processLimits],
  ["MCP servers and skills of directories", "limits", "configLimits", limits.configLimits],
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

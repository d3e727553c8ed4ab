import { argumentText, type Command } from "./command.ts"
import { type Flag, inFlags } from "./flag.ts"
import { type Paint, printable } from "./print.ts"
import type { ServerFlag } from "./server-flags.ts"

const leftMax = 34

/** Two columns, the right one wrapped to the width. */
export function columns(rows: readonly (readonly [string, string])[], paint: Paint, width: number): string {
  const left = Math.min(leftMax, Math.max(0, ...rows.map(([name]) => name.length)))
  const indent = " ".repeat(left + 4)
  return rows
    .map(([name, text]) => {
      const lines = wrap(text, Math.max(30, width - left - 4))
      const gap = name.length > left ? `\n${indent}` : " ".repeat(left - name.length + 2)
      return `  ${paint("cyan", name)}${gap}${lines.join(`\n${indent}`)}`.trimEnd()
    })
    .map((line) => `${line}\n`)
    .join("")
}

export function wrap(text: string, width: number): string[] {
  const lines: string[] = []
  for (const paragraph of text.split("\n")) {
    let line = ""
    for (const word of paragraph.split(" ")) {
      if (line && line.length + word.length + 1 > width) {
        lines.push(line)
        line = word
      } else line = line ? `${line} ${word}` : word
    }
    lines.push(line)
  }
  return lines
}

/** `--name VALUE` as it is written. */
export function flagText(flag: Flag): string {
  const value = flag.type === "boolean" ? "" : ` ${flag.values?.join("|") ?? flag.placeholder ?? "VALUE"}`
  return `${flag.short ? `-${flag.short}, ` : ""}--${flag.name}${value}`
}

function flagHelp(flag: Flag): string {
  const { default: fallback, defaultText } = flag as Partial<ServerFlag>
  const shown = defaultText ?? fallback
  const json =
    flag.type === "json" && flag.name !== "body"
      ? "JSON, or @FILE"
      : flag.type === "pairs"
        ? "repeat for more, or JSON"
        : ""
  const what = [flag.help, json].filter(Boolean).join("; ")
  return [what, shown === undefined ? "" : `(default: ${shown})`].filter(Boolean).join(" ")
}

/** How a command is written, what it takes and what it does. */
export function commandHelp(command: Command, paint: Paint, width: number): string {
  const words = ["sandbox-agent", ...command.words].join(" ")
  const usage = [words, ...command.arguments.map(argumentText), command.flags.length > 0 ? "[flags]" : ""]
    .filter(Boolean)
    .join(" ")
  const parts = [`${command.summary}.\n`, `${paint("bold", "Usage:")} ${usage}\n`]
  if (command.aliases?.length)
    parts.push(`${paint("bold", "Also:")} ${command.aliases.map((a) => a.join(" ")).join(", ")}\n`)
  const typed = (text: string): string => inFlags(text, command.flags)
  if (command.description) parts.push(`${wrap(printable(typed(command.description)), width).join("\n")}\n`)
  const described = command.arguments.filter((a) => a.help || a.values)
  if (described.length > 0)
    parts.push(
      section(
        "Arguments",
        described.map((a) => [a.name, typed([a.help, a.values?.join(", ")].filter(Boolean).join(": "))] as const),
        paint,
        width,
      ),
    )
  if (command.flags.length > 0)
    parts.push(
      section(
        "Flags",
        command.flags.map((f) => [flagText(f), typed(flagHelp(f))] as const),
        paint,
        width,
      ),
    )
  if (command.examples?.length)
    parts.push(`${paint("bold", "Examples:")}\n${command.examples.map((e) => `  ${e}\n`).join("")}`)
  return parts.join("\n")
}

export const section = (
  title: string,
  rows: readonly (readonly [string, string])[],
  paint: Paint,
  width: number,
): string => `${paint("bold", `${title}:`)}\n${columns(rows, paint, width)}`

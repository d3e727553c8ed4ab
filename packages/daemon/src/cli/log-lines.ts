import { type Paint, printable } from "./print.ts"

/** Turns bytes of the log into what is shown of them; the last line may wait for its end. */
export type Shown = (bytes: Uint8Array) => string

/** Lines of JSON as people read them; any other line as it is. */
export function logLines(paint: Paint): Shown {
  const decoder = new TextDecoder()
  let rest = ""
  return (bytes) => {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split("\n")
    rest = lines.pop() ?? ""
    return lines.map((line) => `${lineText(line, paint)}\n`).join("")
  }
}

const colours = { warn: "yellow", error: "red", debug: "dim" } as const

function lineText(line: string, paint: Paint): string {
  let entry: Record<string, unknown>
  try {
    entry = JSON.parse(line) as Record<string, unknown>
  } catch {
    return printable(line)
  }
  const { time, level, message, ...fields } = entry
  const colour = colours[String(level) as keyof typeof colours]
  const told = printable(String(message))
  const words = colour === undefined ? told : paint(colour, told)
  const rest = Object.entries(fields).map(
    ([key, value]) => `${key}=${typeof value === "string" ? value : JSON.stringify(value)}`,
  )
  return `${paint("dim", String(time).slice(11, 19))} ${words} ${paint("dim", printable(rest.join(" ")))}`
}

export type Step = { kind: "text"; text: string } | { kind: "command"; name: string; argument: string }

/** A message is a script: lines that start with `/` are commands, the lines between them are texts. */
export function parseScript(script: string): Step[] {
  const lines = script.split("\n")
  if (!lines.some((line) => line.startsWith("/"))) return script === "" ? [] : [{ kind: "text", text: script }]
  const steps: Step[] = []
  let plain: string[] = []
  const endOfText = () => {
    const text = plain.join("\n")
    plain = []
    // Blank lines only set commands apart.
    if (text.trim() !== "") steps.push({ kind: "text", text })
  }
  for (const line of lines) {
    if (!line.startsWith("/")) {
      plain.push(line)
      continue
    }
    endOfText()
    const command = line.endsWith("\r") ? line.slice(1, -1) : line.slice(1)
    const space = command.search(/\s/)
    if (space < 0) steps.push({ kind: "command", name: command, argument: "" })
    else steps.push({ kind: "command", name: command.slice(0, space), argument: command.slice(space + 1) })
  }
  endOfText()
  return steps
}

/** Words with the white space behind them; joined they are the text again. */
export const words = (text: string): string[] => text.match(/\S+\s*|\s+/g) ?? []

import type { Credential, Discovery } from "../credentials/credential.ts"
import { sourceText } from "../credentials/redact.ts"
import { paintFor, printable, type Terminal } from "./print.ts"
import { tabSeparated } from "./table.ts"

/** For scripts: agent, provider, kind, secret, source, end. */
export const credentialsRows = (found: readonly Discovery[]): string =>
  tabSeparated(
    found.flatMap(({ agent, credentials }) =>
      credentials.map((one) => [agent, one.provider, one.kind, one.value, sourceText(one), one.expiresAt ?? ""]),
    ),
  )

/** For people: a heading for each agent. Nothing is cut: half a path or half a revealed secret is of no use. */
export function credentialsText(found: readonly Discovery[], terminal: Terminal, home: string | undefined): string {
  const paint = paintFor(terminal)
  const all = found.flatMap(({ credentials }) => credentials)
  const wide = (text: (one: Credential) => string): number => Math.max(0, ...all.map((one) => text(one).length))
  const widths = [wide((one) => one.provider), wide((one) => one.kind), wide((one) => one.value)]
  const row = (one: Credential): string => {
    const cells = [one.provider, one.kind, one.value].map((text, i) => printable(text).padEnd(widths[i] ?? 0))
    const from = printable(sourceText(one, home))
    return `  ${cells.join("  ")}  ${paint("cyan", from)}${paint("dim", remarks(one))}\n`
  }
  return found
    .map(({ agent, credentials, notes, available }) => {
      const state = available ? "" : paint("dim", " none found")
      const noteLines = notes.map((text) => `  ${paint("yellow", "note:")} ${printable(text)}\n`)
      return `${paint("bold", agent)}${state}\n${credentials.map(row).join("")}${noteLines.join("")}`
    })
    .join("")
}

function remarks({ expiresAt, ignoredByAgent }: Credential): string {
  const ended = expiresAt !== undefined && Date.parse(expiresAt) < Date.now()
  const end = expiresAt === undefined ? "" : `, ${ended ? "ended" : "ends"} ${expiresAt}`
  return `${end}${ignoredByAgent ? ", handed to the agent by the daemon" : ""}`
}

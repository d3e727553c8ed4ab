import { type OfflineCheck, offlineCheck } from "../store/offline-check.ts"
import { flagsOf } from "./commands.ts"
import { dataDirOf } from "./daemon.ts"
import { assertNoArgument, isSet, parseFlags } from "./parse.ts"
import { line, printable } from "./print.ts"

const words = ["store", "check"]

/** Says what of a store is hurt, and with --repair saves what can be saved. */
export async function storeCheck(argv: string[]): Promise<number> {
  const parsed = parseFlags(argv, flagsOf(...words), words)
  assertNoArgument(parsed, words, "; did you mean --data-dir?")
  const found = offlineCheck(dataDirOf(parsed), isSet(parsed, "repair"))
  const { after, sound, repaired } = found
  if (isSet(parsed, "json")) await line(JSON.stringify({ ...after, sound, repaired }))
  else for (const text of reportLines(found)) await line(printable(text))
  return sound ? 0 : 1
}

function reportLines({ before, after, redo, sound, repaired, hopeless }: OfflineCheck): string[] {
  const lines = before.structure.map((text) => `file: ${text}`)
  if (repaired !== undefined) lines.push(repaired.text, "It holds all that it held, also what is deleted later.")
  else if (hopeless || before.structure.some((text) => /not a database/.test(text)))
    lines.push("nothing of it can be saved, the file was left as it is: move it away for a daemon to start here")
  else if (before.structure.length > 0)
    lines.push("`sandbox-agent store check --repair` makes a new file of all that can be read; a daemon does so itself")
  lines.push(...after.findings.map(({ session, what }) => `${session ?? "a session"}: ${what}`))
  lines.push(
    `${after.path}: ${sound ? "sound" : "damaged"} (${counted(after.sessions, "session")}, ${counted(after.events, "event")})`,
  )
  if (after.notYetIn > 0)
    lines.push(`${redo}: ${counted(after.notYetIn, "commit")} more, which the daemon takes over when it starts`)
  return lines
}

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? "" : "s"}`

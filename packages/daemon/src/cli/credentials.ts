import { SandboxAgentError } from "@sandbox-agent/schema/error"
import type { Discovery } from "../credentials/credential.ts"
import { agentsWithCredentials, discover, discoverAll } from "../credentials/discover.ts"
import { asEnvironment, shellLines } from "../credentials/environment.ts"
import { redact } from "../credentials/redact.ts"
import { nativeAgent } from "../drivers/table.ts"
import { didYouMean } from "./closest.ts"
import { flagsOf } from "./commands.ts"
import { credentialsRows, credentialsText } from "./credentials-text.ts"
import { assertNoArgument, isSet, lastOf, type Parsed, parseFlags } from "./parse.ts"
import { line, note, out, printable, terminalOf } from "./print.ts"

/** What the machine has, and from where. */
export async function credentialsExtract(argv: string[]): Promise<number> {
  const parsed = parsedOf(argv, "extract")
  const reveal = isSet(parsed, "reveal")
  const found = foundOn(parsed).map((one) => (reveal ? one : { ...one, credentials: one.credentials.map(redact) }))
  const hint = hintFor(found)
  const terminal = terminalOf()
  if (isSet(parsed, "json")) {
    // Each agent's name stands once, over its credentials.
    const agents = found.map((one) => ({ ...one, credentials: one.credentials.map(({ agent: _, ...rest }) => rest) }))
    await line(JSON.stringify({ redacted: !reveal, agents, hint }))
    return 0
  }
  if (terminal.tty) await out(credentialsText(found, terminal, process.env.HOME))
  else {
    await out(credentialsRows(found))
    await printNotes(found.flatMap(({ agent, notes }) => notes.map((text) => `${agent}: ${text}`)))
  }
  if (hint) await note(hint)
  return 0
}

/** The same as variables. Secrets in clear are what this is for, but not for a screen that others may see. */
export async function credentialsExtractEnv(argv: string[]): Promise<number> {
  const parsed = parsedOf(argv, "extract-env")
  const found = foundOn(parsed)
  const { variables, notes } = asEnvironment(found.flatMap(({ credentials }) => credentials))
  const safe = Object.entries(variables).filter(([name, value]) => isName(name) && !value.includes("\0"))
  const lost = Object.keys(variables).filter((name) => !safe.some(([kept]) => kept === name))
  await printNotes([...notes, ...lost.map((name) => `${JSON.stringify(name)} cannot be written for a shell`)])
  const hint = hintFor(found)
  if (hint) await note(hint)
  if (process.stdout.isTTY && safe.length > 0)
    await note('warning: secrets in clear follow; meant for `eval "$(sandbox-agent credentials extract-env --export)"`')
  for (const text of shellLines(Object.fromEntries(safe), isSet(parsed, "export"))) await line(text)
  return 0
}

/** A name out of a configuration file must not become a command of the shell that reads the line. */
const isName = (name: string): boolean => /^[A-Za-z_][A-Za-z0-9_]*$/.test(name)

function parsedOf(argv: string[], word: string): Parsed {
  const command = ["credentials", word]
  const parsed = parseFlags(argv, flagsOf(...command), command)
  const [extra = ""] = parsed.positionals
  const meant = agentsWithCredentials.includes(extra) ? `; did you mean \`--agent ${extra}\`?` : ""
  assertNoArgument(parsed, command, meant)
  return parsed
}

function foundOn(parsed: Parsed): Discovery[] {
  const agent = lastOf(parsed, "agent")
  if (agent === undefined) return discoverAll()
  if (agentsWithCredentials.includes(agent)) return [discover(agent)]
  const near = didYouMean(agent, agentsWithCredentials)
  throw new SandboxAgentError(
    "unsupported_agent",
    `no credentials are known for ${JSON.stringify(agent)}, but for these: ${agentsWithCredentials.join(", ")}${near}`,
    { agent, hint: "see `sandbox-agent help credentials extract`" },
  )
}

async function printNotes(notes: readonly string[]): Promise<void> {
  for (const text of notes) await note(`note: ${printable(text)}`)
}

/** Only where there is nothing at all: a cloud's role is a way, too. */
function hintFor(found: readonly Discovery[]): string | undefined {
  if (found.some(({ available }) => available)) return undefined
  const whom = found.length === 1 ? (found[0]?.agent ?? "") : "any agent"
  return `no credentials for ${whom} were found; log in with the agent's own command, or set a variable such as ${variableFor(found)}`
}

const variableFor = (found: readonly Discovery[]): string =>
  nativeAgent(found.length === 1 ? (found[0]?.agent ?? "") : "")?.credentials?.variable ?? "ANTHROPIC_API_KEY"

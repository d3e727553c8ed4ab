import { SandboxAgentError } from "@sandbox-agent/schema/error"
import { isPartOfProgram } from "../drivers/table.ts"
import type { InstallOptions } from "../install/installer.ts"
import { registryEntries } from "../registry/agent-registry.ts"
import { installTable } from "../registry/installable.ts"
import { didYouMean } from "./closest.ts"
import { flagsOf } from "./commands.ts"
import { type Connection, connectionOf, namedEndpoint } from "./connection.ts"
import { dataDirOf, programsDirOf } from "./daemon.ts"
import { installOutput } from "./install-output.ts"
import { installOver } from "./install-over.ts"
import { isSet, lastOf, type Parsed, parseFlags } from "./parse.ts"
import { note } from "./print.ts"
import { StandaloneInstaller } from "./standalone-installer.ts"
import { UsageError } from "./usage.ts"
import { version as ownVersion } from "./version.ts"

const command = ["install-agent"]

/** Installs one agent or all of them into the daemon's folder, whether a daemon runs or not. */
export async function installAgentCommand(argv: string[]): Promise<number> {
  const parsed = parseFlags(argv, flagsOf(...command), command)
  const json = isSet(parsed, "json")
  const agents = agentsOf(parsed)
  const [only] = agents
  if (only !== undefined && isPartOfProgram(only) && !isElsewhere(parsed)) {
    await installOutput(only, json).done({ installed: true, version: ownVersion }, [])
    return 0
  }
  const options = { version: lastOf(parsed, "version"), ...(isSet(parsed, "reinstall") && { reinstall: true }) }
  if (isElsewhere(parsed)) return await overAll(await connectionOf(parsed, process.env), agents, options, json)
  await using standalone = await StandaloneInstaller.open(dataDirOf(parsed), programsDirOf(parsed))
  const failed: Failed[] = []
  for (const agent of agents) {
    const exit = await install(agent, options, standalone, json)
    if (standalone.interrupted) return 130
    if (exit !== 0) failed.push({ agent, exit })
  }
  return await summed(agents, failed, json)
}

/** Named daemons install themselves; without one it is done here, whether a daemon runs or not. */
const isElsewhere = (parsed: Parsed): boolean => namedEndpoint(parsed, process.env) !== undefined

async function overAll(
  connection: Connection,
  agents: readonly string[],
  options: InstallOptions,
  json: boolean,
): Promise<number> {
  process.once("SIGINT", () => process.exit(130))
  const failed: Failed[] = []
  for (const agent of agents) {
    const exit = await installOver(connection, agent, options, json)
    if (exit !== 0) failed.push({ agent, exit })
  }
  return await summed(agents, failed, json)
}

interface Failed {
  agent: string
  exit: number
}

async function summed(agents: readonly string[], failed: readonly Failed[], json: boolean): Promise<number> {
  if (agents.length > 1 && failed.length > 0 && !json)
    await note(`${failed.length} of ${agents.length} could not be installed: ${failed.map((f) => f.agent).join(", ")}`)
  return failed[0]?.exit ?? 0
}

async function install(
  agent: string,
  options: InstallOptions,
  standalone: StandaloneInstaller,
  json: boolean,
): Promise<number> {
  const { installer, notes } = standalone
  const output = installOutput(agent, json)
  try {
    const found = await installer.install(agent, options, (progress) => output.progress(progress))
    await output.done(found, notes.splice(0))
    return 0
  } catch (error) {
    // The error repeats them.
    notes.length = 0
    if (!standalone.interrupted) return await output.failed(error)
    await output.stopped()
    return 130
  }
}

function agentsOf(parsed: Parsed): string[] {
  const [agent, extra] = parsed.positionals
  if (agent === undefined || extra !== undefined) throw new UsageError("give one agent, or `all`", command)
  const known = [...installTable.keys()]
  if (agent === "all") {
    if (lastOf(parsed, "version") === undefined) return known
    throw new UsageError("--version is of one agent: name it instead of `all`", command)
  }
  // That one knows its agents itself.
  if (isElsewhere(parsed)) return [agent]
  // Scripts need not know which agents are part of this program.
  if (isPartOfProgram(agent) || installTable.has(agent)) return [agent]
  known.push(...registryEntries(dataDirOf(parsed)).flatMap(({ id }) => (installTable.has(id) ? [] : [id])))
  if (known.includes(agent)) return [agent]
  const near = didYouMean(agent, [...known, "all"])
  throw new SandboxAgentError(
    "unsupported_agent",
    `${JSON.stringify(agent)} cannot be installed; these can: ${known.join(", ")}${near}`,
    { agent, hint: "see `sandbox-agent help install-agent`" },
  )
}

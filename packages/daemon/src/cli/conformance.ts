import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { liveAgent, liveAgents } from "@sandbox-agent/conformance/agents/live"
import { type Scripted, suiteAgents } from "@sandbox-agent/conformance/agents/scripted"
import type { FaceOptions } from "@sandbox-agent/conformance/face/face-client"
import { failures, type Result } from "@sandbox-agent/conformance/report"
import { runConformance } from "@sandbox-agent/conformance/runner"
import { SandboxAgentError } from "@sandbox-agent/schema/error"
import type { RegistryEntry } from "@sandbox-agent/schema/registry"
import { isPartOfProgram } from "../drivers/table.ts"
import { registryEntries } from "../registry/agent-registry.ts"
import { addEntry } from "../registry/registry-file.ts"
import { didYouMean } from "./closest.ts"
import { flagsOf } from "./commands.ts"
import { resolveServerConfig } from "./config.ts"
import { conformanceText } from "./conformance-text.ts"
import { dataDirOf, programsDirOf } from "./daemon.ts"
import { type Embedded, startEmbedded } from "./embedded.ts"
import { isSet, lastOf, type Parsed, parseFlags } from "./parse.ts"
import { line, note, out, terminalOf } from "./print.ts"
import { StandaloneInstaller } from "./standalone-installer.ts"
import { UsageError } from "./usage.ts"

const command = ["conformance"]

/** Runs the suite on a daemon of its own, on data that goes with the command. */
export async function conformanceCommand(argv: string[]): Promise<number> {
  const parsed = parseFlags(argv, flagsOf(...command), command)
  const entries = registryEntries(dataDirOf(parsed), resolveServerConfig([], process.env).agentsFile)
  const start = starterOf(parsed, entries)
  const face = faceOf(parsed)
  const agent = parsed.positionals[0] ?? ""
  const home = mkdtempSync(join(tmpdir(), "sandbox-agent-conformance-"))
  let daemon: Embedded | undefined
  let scripted: Scripted | undefined
  const interrupted = (): void => {
    daemon?.kill()
    rmSync(home, { recursive: true, force: true })
    process.exit(130)
  }
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, interrupted)
  try {
    const flags = [...(await programFlags(agent, parsed)), ...entryFlags(entries, agent, join(home, "agents.json"))]
    scripted = await start(join(home, "home"))
    const { env, subject } = scripted
    const begin = async () => {
      daemon = await startEmbedded(join(home, "data"), { env, flags })
      const { connection, crash, stop } = daemon
      return { url: connection.endpoint, token: connection.token ?? "", crash, stop }
    }
    const onResult = ([first]: readonly Result[]) => {
      if (process.stderr.isTTY && first) void note(`${first.status.padEnd(8)}${first.scenario}`)
    }
    const report = await runConformance(subject, { directory: join(home, "work"), start: begin }, onResult, face)
    if (isSet(parsed, "json")) await line(JSON.stringify(report))
    else await out(conformanceText(report, terminalOf()))
    return failures(report).length === 0 ? 0 : 1
  } finally {
    daemon?.kill()
    await scripted?.close()
    rmSync(home, { recursive: true, force: true })
  }
}

function starterOf(parsed: Parsed, entries: readonly RegistryEntry[]): (home: string) => Promise<Scripted> {
  const [agent, extra] = parsed.positionals
  if (agent === undefined || extra !== undefined) throw new UsageError("give one agent", command)
  const live = isSet(parsed, "live")
  const speaksAcp = entries.some(({ id }) => id === agent)
  const subject = liveAgents[agent] ?? (speaksAcp ? liveAgent(agent) : undefined)
  if (live && subject !== undefined) return async () => ({ subject, env: {}, close: async () => {} })
  const scripted = suiteAgents[agent]?.scripted
  if (!live && scripted !== undefined) return scripted
  if (speaksAcp)
    throw new SandboxAgentError(
      "unsupported_agent",
      `there is no script for the model of ${agent}: it can be checked with --live, on its own model and account`,
      { agent, hint: `\`sandbox-agent conformance ${agent} --live\`` },
    )
  const known = live ? [...Object.keys(liveAgents), ...entries.map(({ id }) => id)] : Object.keys(suiteAgents)
  throw new SandboxAgentError(
    "unsupported_agent",
    `${JSON.stringify(agent)} cannot be checked${live ? " live" : ""}; these can: ${known.join(", ")}${didYouMean(agent, known)}`,
    { agent, hint: "see `sandbox-agent help conformance`" },
  )
}

function faceOf(parsed: Parsed): FaceOptions | undefined {
  const face = lastOf(parsed, "face") ?? "universal"
  if (face === "acp") return { forms: true }
  if (face === "universal") return undefined
  throw new UsageError(`\`--face\` is universal or acp, not ${JSON.stringify(face)}`, command)
}

/** The daemon has data of its own: an agent that was added has to be added there, too. */
function entryFlags(entries: readonly RegistryEntry[], agent: string, file: string): string[] {
  const entry = entries.find(({ id }) => id === agent)
  if (entry === undefined) return []
  addEntry(file, entry)
  return ["--agents-file", file]
}

/** Installed with the user's own settings, before the daemon and the agent get a home of their own. */
async function programFlags(agent: string, parsed: Parsed): Promise<string[]> {
  if (isPartOfProgram(agent)) return []
  await using standalone = await StandaloneInstaller.open(dataDirOf(parsed), programsDirOf(parsed))
  const { path } = await standalone.installer.install(agent, {}, () => {})
  return path === undefined ? [] : ["--agent-path", `${agent}=${path}`]
}

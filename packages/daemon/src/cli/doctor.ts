import { flagsOf } from "./commands.ts"
import { agentDirOf, agentPathsOf, resolveServerConfig } from "./config.ts"
import { agentFindings } from "./doctor/agents.ts"
import { daemonFindings } from "./doctor/daemon.ts"
import { dataDirectoryFindings } from "./doctor/data-directory.ts"
import { areas, type Finding } from "./doctor/finding.ts"
import { machineFindings } from "./doctor/machine.ts"
import { networkFindings } from "./doctor/network.ts"
import { wrap } from "./help-text.ts"
import { assertNoArgument, isSet, lastOf, parseFlags } from "./parse.ts"
import { line, out, type Paint, paintFor, printable, terminalOf } from "./print.ts"
import { StandaloneInstaller } from "./standalone-installer.ts"

const command = ["doctor"]

/** Looks at all that sessions need, changes nothing, and says what to do about what is missing. */
export async function doctorCommand(argv: string[]): Promise<number> {
  const parsed = parseFlags(argv, flagsOf(...command), command)
  assertNoArgument(parsed, command)
  const dataDir = lastOf(parsed, "data-dir")
  const findings = await look(dataDir)
  const counts = { ok: 0, warning: 0, failed: 0 }
  for (const { state } of findings) counts[state]++
  if (isSet(parsed, "json")) await line(JSON.stringify({ findings, counts }))
  else await out(text(findings, counts))
  return counts.failed > 0 ? 1 : 0
}

async function look(dataDir: string | undefined): Promise<Finding[]> {
  const config = resolveServerConfig(dataDir === undefined ? [] : [`--data-dir=${dataDir}`], process.env)
  await using standalone = new StandaloneInstaller(
    config.dataDir,
    `${agentDirOf(config) ?? config.dataDir}/bin`,
    process.env,
    agentPathsOf(config),
  )
  const all = await Promise.all([
    daemonFindings(config),
    dataDirectoryFindings(config),
    agentFindings(config.dataDir, config.agentsFile, standalone.installer),
    networkFindings((withinMs) => standalone.newestPackage(withinMs)),
    machineFindings(),
  ])
  return all.flat()
}

const signs = { ok: ["green", "✓"], warning: ["yellow", "!"], failed: ["red", "✗"] } as const

function text(findings: readonly Finding[], counts: Record<Finding["state"], number>): string {
  const paint = paintFor(terminalOf())
  const width = Math.max(...findings.map(({ name }) => name.length))
  const groups = areas.map((area) => {
    const own = findings.filter((finding) => finding.area === area)
    return `${paint("bold", area)}\n${own.map((finding) => rowOf(finding, width, paint)).join("")}`
  })
  const { ok, warning, failed } = counts
  return `${groups.join("\n")}\n${ok} ok, ${warning} to look at, ${failed} failed\n`
}

function rowOf({ state, name, detail, hint }: Finding, width: number, paint: Paint): string {
  const [colour, sign] = signs[state]
  const indent = `\n${" ".repeat(width + 6)}`
  const { tty, width: screen } = terminalOf()
  // In a pipe a line is a line.
  const room = tty ? Math.max(30, screen - width - 7) : Number.POSITIVE_INFINITY
  const told = wrap(printable(detail), room).join(indent)
  const advice =
    hint === undefined
      ? ""
      : wrap(printable(hint), room)
          .map((line) => `${indent}${paint("dim", line)}`)
          .join("")
  return `  ${paint(colour, sign)} ${printable(name).padEnd(width)}  ${told}${advice}\n`
}

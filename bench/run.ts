import { cpus } from "node:os"
import { amp } from "./agents/amp.ts"
import { claude } from "./agents/claude.ts"
import { codex } from "./agents/codex.ts"
import { opencode } from "./agents/opencode.ts"
import { pi } from "./agents/pi.ts"
import type { Case, Context } from "./case.ts"
import { acpClient } from "./cases/acp-client.ts"
import { acpPrompt } from "./cases/acp-prompt.ts"
import { acpRpc } from "./cases/acp-rpc.ts"
import { acpStream } from "./cases/acp-stream.ts"
import { adapters } from "./cases/adapters.ts"
import { agentCase } from "./cases/agent.ts"
import { floodCase } from "./cases/agent-flood.ts"
import { crowd } from "./cases/crowd.ts"
import { death } from "./cases/death.ts"
import { bigFile } from "./cases/files.ts"
import { flood } from "./cases/flood.ts"
import { growth } from "./cases/growth.ts"
import { health } from "./cases/health.ts"
import { idle } from "./cases/idle.ts"
import { ingest } from "./cases/ingest.ts"
import { inspector } from "./cases/inspector.ts"
import { latency } from "./cases/latency.ts"
import { memory } from "./cases/memory.ts"
import { processRuns, terminalCat } from "./cases/processes.ts"
import { prompt } from "./cases/prompt.ts"
import { replay } from "./cases/replay.ts"
import { sdk } from "./cases/sdk.ts"
import { manySessions } from "./cases/sessions.ts"
import { sharing } from "./cases/sharing.ts"
import { stall } from "./cases/stall.ts"
import { start } from "./cases/start.ts"
import { storeScale } from "./cases/store-scale.ts"
import { stream } from "./cases/stream.ts"
import { trees } from "./cases/trees.ts"
import { busyShare, waitForQuiet } from "./measure/quiet.ts"
import { type Options, readOptions, usage } from "./options.ts"
import { installPeer } from "./peer/install.ts"
import type { Row } from "./row.ts"
import { table } from "./table.ts"
import { floor } from "./target/floor.ts"
import { ours } from "./target/ours.ts"
import { peer } from "./target/peer.ts"

const agents = [amp, claude, codex, opencode, pi]

const cases: Case[] = [
  start,
  memory,
  idle,
  health,
  prompt,
  stream,
  latency,
  replay,
  growth,
  flood,
  stall,
  crowd,
  manySessions,
  sharing,
  death,
  processRuns,
  terminalCat,
  bigFile,
  trees,
  acpClient,
  acpRpc,
  acpPrompt,
  acpStream,
  inspector,
  ...agents.map(agentCase),
  ...agents.filter(({ inOnePiece }) => !inOnePiece).map(floodCase),
  sdk,
  ingest,
  storeScale,
  adapters,
]

async function peerTarget(options: Options) {
  if (options.peer === undefined) return undefined
  return peer(options.peer === "auto" ? await installPeer() : options.peer)
}

/** How long each case may wait for others on this machine to be done. */
const quietMs = 10_000

/** A case that breaks is a missed bar, not the end of the run. */
async function runCase(one: Case, context: Context): Promise<Row[]> {
  process.stderr.write(`${one.name} …`)
  const before = await waitForQuiet(quietMs)
  const begin = performance.now()
  const rows = await one
    .run(context)
    .catch((error: unknown): Row[] => [
      { name: one.name, unit: "", bar: { text: "runs", pass: false }, note: String(error).slice(0, 2_000) },
    ])
  process.stderr.write(` ${((performance.now() - begin) / 1000).toFixed(1)} s\n`)
  // Others may have come while it ran: a figure taken then must not pass for a clean one.
  const busy = Math.max(before, await busyShare())
  if (busy > 0.1)
    rows.push({ name: `    (others used ${Math.round(busy * 100)} % of the machine before or after)`, unit: "" })
  return rows
}

/** All, or those that are named; a case that would have to download something first is not run unasked. */
function chosen({ only, agents }: Options): Case[] {
  if (only !== undefined) return cases.filter(({ name }) => only.has(name))
  return cases.filter(({ name, needs }) => {
    const missing = agents ? undefined : needs?.()
    if (missing !== undefined) process.stderr.write(`${name} is left out: ${missing}; --agents fetches it\n`)
    return missing === undefined
  })
}

async function main(): Promise<void> {
  const options = readOptions(process.argv.slice(2))
  const unknown = [...(options.only ?? [])].filter((name) => !cases.some((one) => one.name === name))
  if (unknown.length > 0) throw new Error(`no case ${unknown}; there are ${cases.map((one) => one.name)}`)
  const daemon = ours(options.source)
  const rust = await peerTarget(options)
  const bare = await floor(options.source)
  const [generic, alone] = [ours(options.source, "generic"), ours(options.source, "alone")]
  const context: Context = { ours: daemon, generic, alone, floor: bare, peer: rust }
  const rows: Row[] = []
  // Who has to stop it early gets what is there, and leaves no agent behind.
  for (const signal of ["SIGINT", "SIGTERM"] as const)
    process.on(signal, () => {
      console.log(`\n${table(rows)}\n\nstopped before its end`)
      process.exit(1)
    })
  for (const one of chosen(options)) rows.push(...(await runCase(one, context)))
  await bare.dispose()
  const machine = `${cpus().length} cores, ${process.platform} ${process.arch}, Bun ${Bun.version}`
  console.log(
    `\n${machine}; ${options.source ? "from source" : "dist/sandbox-agent"}; * published, not measured here\n`,
  )
  console.log(table(rows))
  const missed = rows.filter((row) => row.bar?.pass === false)
  console.log(
    `\n${missed.length === 0 ? "every bar is met" : `missed: ${missed.map((row) => row.name.trim()).join("; ")}`}`,
  )
  if (options.json !== undefined) await Bun.write(options.json, `${JSON.stringify({ machine, rows }, null, 2)}\n`)
  process.exit(options.strict && missed.length > 0 ? 1 : 0)
}

await main().catch((error: unknown) => {
  console.error(`${error instanceof Error ? error.message : error}\n${usage}`)
  process.exit(2)
})

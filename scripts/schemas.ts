import { existsSync } from "node:fs"
import { parseArgs } from "node:util"
import { sources } from "./schemas/agents.ts"
import { diff } from "./schemas/diff.ts"
import { diffText } from "./schemas/diff-text.ts"
import { makeDocument, readDocument, recordedPath, type SchemaDocument } from "./schemas/document.ts"
import { check, type Outcome, record, sourceOf, writeTypes } from "./schemas/record.ts"

const usage = `npm run schemas -- [agent…] [--strict]   record the schemas of the agents and write the types of their drivers
npm run schemas -- [agent…] --check    whether the types are what the recorded schemas give; needs no network
npm run schemas -- diff AGENT FROM [TO]   what changed between two versions; each a version or a file, TO else the recorded one
`

/** A schema by the version of the agent, or of a file. */
async function documentOf(agent: string, versionOrFile: string): Promise<SchemaDocument> {
  if (existsSync(versionOrFile)) return readDocument(versionOrFile)
  return makeDocument(agent, versionOrFile, await sourceOf(agent).extract(versionOrFile))
}

async function showDiff([agent, from, to]: readonly string[]): Promise<void> {
  if (agent === undefined || from === undefined) throw new Error(`diff needs an agent and a version\n\n${usage}`)
  const before = await documentOf(agent, from)
  const after = to === undefined ? readDocument(recordedPath(agent)) : await documentOf(agent, to)
  process.stdout.write(diffText(before, after, diff(before, after, sources[agent]?.roots)))
}

async function outcomesOf(agent: string, checking: boolean, strict: boolean): Promise<Outcome[]> {
  if (checking) return check(agent)
  const recorded = await record(agent, strict)
  const types = existsSync(recordedPath(agent)) ? writeTypes(agent) : undefined
  return types ? [recorded, types] : [recorded]
}

async function main(): Promise<void> {
  const options = { strict: { type: "boolean" }, check: { type: "boolean" }, help: { type: "boolean" } } as const
  const { values, positionals } = parseArgs({ options, allowPositionals: true })
  if (values.help) return void process.stdout.write(usage)
  if (positionals[0] === "diff") return showDiff(positionals.slice(1))
  for (const agent of positionals.length > 0 ? positionals : Object.keys(sources)) {
    for (const { line, failed } of await outcomesOf(agent, values.check ?? false, values.strict ?? false)) {
      console.log(failed ? `✗ ${line}` : line)
      if (failed) process.exitCode = 1
    }
  }
}

try {
  await main()
} catch (failure) {
  console.error(failure instanceof Error ? failure.message : failure)
  process.exitCode = 1
}

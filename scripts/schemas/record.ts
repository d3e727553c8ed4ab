import { existsSync } from "node:fs"
import { sources } from "./agents.ts"
import { documentText, makeDocument, readDocument, recordedPath } from "./document.ts"
import { generate, generatedPath, present, write } from "./generated.ts"
import { SourceAbsent } from "./packages.ts"

export interface Outcome {
  line: string
  failed: boolean
}

/** Takes the schema from its source; where that is absent, what is recorded stays. `strict`: absence is a failure. */
export async function record(agent: string, strict: boolean): Promise<Outcome> {
  const source = sourceOf(agent)
  try {
    const document = makeDocument(agent, source.version, await source.extract(source.version))
    const changed = write(recordedPath(agent), documentText(document))
    return { line: `${changed ? "recorded" : "unchanged"} ${agent} ${source.version}`, failed: false }
  } catch (failure) {
    if (!(failure instanceof SourceAbsent)) throw failure
    if (!existsSync(recordedPath(agent))) return { line: `nothing of ${agent}: ${failure.message}`, failed: true }
    const { version } = readDocument(recordedPath(agent))["x-stamp"]
    return { line: `kept ${agent} ${version}: ${failure.message}`, failed: strict }
  }
}

/** Writes the types of the agent's driver, if it has some. */
export function writeTypes(agent: string): Outcome | undefined {
  const text = generate(agent)
  const path = generatedPath(agent)
  if (text === undefined || !write(path, text)) return undefined
  return { line: `wrote ${path}`, failed: false }
}

/** Whether what is in the repository is what the recorded schema gives. Needs no network. */
export function check(agent: string): Outcome[] {
  const source = sourceOf(agent)
  const document = readDocument(recordedPath(agent))
  const { version } = document["x-stamp"]
  const path = generatedPath(agent)
  const wanted = generate(agent)
  const outcomes: Outcome[] = [{ line: `${agent} ${version}`, failed: false }]
  if (present(recordedPath(agent)) !== documentText(document))
    outcomes.push({ line: `schemas/${agent}.json is not written as npm run schemas writes it`, failed: true })
  if (wanted !== undefined && present(path) !== wanted)
    outcomes.push({ line: `${path} is not what schemas/${agent}.json gives: npm run schemas`, failed: true })
  if (version !== source.version)
    outcomes.push({ line: `the product is tested with ${agent} ${source.version}`, failed: false })
  return outcomes
}

export function sourceOf(agent: string): (typeof sources)[string] {
  const source = sources[agent]
  if (source) return source
  throw new Error(`no schemas of ${agent}; there are: ${Object.keys(sources).join(", ")}`)
}

import type { Capabilities } from "@sandbox-agent/schema/agent"
import type { Result } from "./report.ts"
import type { Scenario } from "./scenario.ts"
import { MissingAct, type Scene } from "./scene.ts"
import { objection, skipOf, undeclared } from "./verdict.ts"

/** Longer than any scenario takes on a busy machine. */
export const scenarioTimeoutMs = 120_000
/** What an agent does not declare is tried all the same, but not for long. */
const undeclaredTimeoutMs = 20_000

type Outcome = Omit<Result, "requirement" | "scenario">

/** Plays a scenario and says how it went, once for each requirement it proves. */
export async function judge(scene: Scene, scenario: Scenario, capabilities: Capabilities): Promise<Result[]> {
  const outcome = await outcomeOf(scene, scenario, capabilities)
  return scenario.proves.map((requirement) => ({ requirement, scenario: scenario.name, ...outcome }))
}

async function outcomeOf(scene: Scene, scenario: Scenario, capabilities: Capabilities): Promise<Outcome> {
  const { skip = [], partial, notDescribed } = scene.subject
  const missing = undeclared(scenario, capabilities)
  if (notDescribed !== undefined && missing.length > 0)
    return { status: "skipped", reason: `${notDescribed}: ${missing.join(", ")}` }
  const wrong = objection(scenario, capabilities, skip)
  if (wrong !== undefined) return { status: "failed", error: wrong }
  const lacking = lack(scene, scenario)
  if (lacking !== undefined) return { status: "skipped", reason: lacking }
  const skipped = skipOf(scenario, skip)
  try {
    await scene.play(
      scenario,
      (scenario.times ?? 1) * (skipped === undefined ? scenarioTimeoutMs : undeclaredTimeoutMs),
    )
  } catch (error) {
    if (skipped !== undefined) return { status: "skipped", reason: skipped.reason, has: skipped.has }
    if (error instanceof MissingAct && partial !== undefined) return { status: "skipped", reason: partial }
    return { status: "failed", error: wordsOf(error) }
  }
  if (skipped === undefined) return { status: "passed" }
  return { status: "failed", error: `passes, but is skipped and not declared: ${skipped.reason}` }
}

function lack(scene: Scene, { means = [] }: Scenario): string | undefined {
  const { lacks = {} } = scene.subject
  const missing = means.find((one) => lacks[one] !== undefined)
  if (missing !== undefined) return lacks[missing]
  if (means.includes("memory") && scene.subject.forget === undefined)
    return "the files of the agent are not ours to remove"
  return means.includes("restart") && !scene.restarts ? "this daemon is not ours to kill" : undefined
}

const wordsOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

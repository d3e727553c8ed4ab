import { type Capabilities, capabilityNames } from "@sandbox-agent/schema/agent"
import { requirements } from "./requirements.ts"
import { neededBy, type Scenario } from "./scenario.ts"
import { scenarios } from "./scenarios.ts"
import type { Skip } from "./subject.ts"

export const skipOf = (scenario: Scenario, skip: readonly Skip[]): Skip | undefined =>
  skip.find(({ tests }) => tests.includes(scenario.name))

export const undeclared = (scenario: Scenario, capabilities: Capabilities): string[] =>
  neededBy(scenario).filter((need) => !capabilities[need])

/** What is skipped must be something the agent cannot do, and what it cannot do must be skipped. */
export function objection(
  scenario: Scenario,
  capabilities: Capabilities,
  skip: readonly Skip[] = [],
): string | undefined {
  const missing = undeclared(scenario, capabilities)
  const skipped = skipOf(scenario, skip)
  if (skipped === undefined)
    return missing.length === 0
      ? undefined
      : `declares ${missing.join(", ")} false: skip this scenario, with the reason`
  if (missing.length > 0) return undefined
  return `skipped (${skipped.reason}), but the agent declares ${neededBy(scenario).join(", ")}`
}

export function badSkips(skip: readonly Skip[]): string[] {
  const names = scenarios.map(({ name }) => name)
  return skip.flatMap(({ reason, tests }) => [
    ...(reason.trim() === "" ? [`no reason to skip ${tests.join(", ")}`] : []),
    ...tests.filter((given) => !names.includes(given)).map((given) => `no scenario ${given}`),
  ])
}

/** Requirements that no scenario proves, and capabilities that no requirement asks for; tests hold these empty. */
export const unproven = (): string[] =>
  requirements.map(({ id }) => id).filter((id) => !scenarios.some(({ proves }) => proves.includes(id)))

export const unasked = (): string[] =>
  capabilityNames.filter((name) => !requirements.some(({ capability }) => capability === name))

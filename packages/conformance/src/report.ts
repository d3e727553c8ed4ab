import type { RequirementId } from "./requirements.ts"
import { scenarios } from "./scenarios.ts"

export type Status = "passed" | "failed" | "skipped"

/** How one scenario went for one of the requirements it proves. */
export interface Result {
  requirement: RequirementId
  scenario: string
  status: Status
  /** Why it was skipped. */
  reason?: string
  /** The agent can, but it is not converted. */
  has?: boolean
  error?: string
}

/** One run on one agent, as kept in docs/conformance. */
export interface Report {
  agent: string
  name: string
  version?: string
  stability: "stable" | "experimental"
  results: Result[]
}

/** As the scenarios are listed, whichever was done first. */
export function inOrder(results: readonly Result[]): Result[] {
  const places = new Map(scenarios.map(({ name }, place) => [name, place]))
  return [...results].sort((a, b) => (places.get(a.scenario) ?? 0) - (places.get(b.scenario) ?? 0))
}

export const failures = ({ results }: Report): Result[] => results.filter(({ status }) => status === "failed")

const line = ({ requirement, scenario, status }: Result): string => `${requirement}: ${status} (${scenario})`

/** What differs between a kept report and a new one: statuses only, other things change with every run. */
export function drift(kept: Report, now: Report): string[] {
  const [before, after] = [kept.results.map(line), now.results.map(line)]
  return [
    ...before.filter((one) => !after.includes(one)).map((one) => `no longer ${one}`),
    ...after.filter((one) => !before.includes(one)).map((one) => `now ${one}`),
  ]
}

/** As it is kept. */
export const reportText = (report: Report): string => `${JSON.stringify(report, null, 2)}\n`

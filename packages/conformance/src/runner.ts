import type { Agent } from "@sandbox-agent/schema/agent"
import type { FaceOptions } from "./face/face-client.ts"
import { judge } from "./judge.ts"
import { atOnce, Gate, orderOf } from "./order.ts"
import { inOrder, type Report, type Result } from "./report.ts"
import type { Scenario } from "./scenario.ts"
import { scenarios } from "./scenarios.ts"
import { Scene } from "./scene.ts"
import type { Stage, Subject } from "./subject.ts"
import { badSkips } from "./verdict.ts"

export const reportOf = ({ id, name, version, stability }: Agent, results: Result[]): Report => ({
  agent: id,
  name,
  version,
  stability,
  results: inOrder(results),
})

/** Runs every scenario on one agent, side by side where they can be, and gives the report. Over REST, or over the ACP face. */
export async function runConformance(
  subject: Subject,
  stage: Stage,
  onResults: (results: readonly Result[]) => void = () => {},
  face?: FaceOptions,
): Promise<Report> {
  const bad = badSkips(subject.skip ?? [])
  if (bad.length > 0) throw new Error(bad.join("; "))
  await using scene = await Scene.open(subject, stage, face)
  const info = await scene.info()
  const results: Result[] = []
  const play = async (scenario: Scenario): Promise<void> => {
    // One that nobody has described is known better with every session.
    const { capabilities } = subject.notDescribed === undefined ? info : await scene.info()
    const rows = await judge(scene, scenario, capabilities)
    onResults(rows)
    results.push(...rows)
  }
  const { together, alone, last } = orderOf(scenarios)
  await scene.warmUp()
  const gate = new Gate(subject.atOnce ?? atOnce)
  await Promise.all(together.map((scenario) => gate.through(() => play(scenario))))
  for (const scenario of [...alone, ...last]) await play(scenario)
  return reportOf(info, results)
}

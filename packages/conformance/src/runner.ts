import type { Agent } from "@sandbox-agent/schema/agent"
import type { FaceOptions } from "./face/face-client.ts"
import { judge } from "./judge.ts"
import type { Report, Result } from "./report.ts"
import { scenarios } from "./scenarios.ts"
import { Scene } from "./scene.ts"
import type { Stage, Subject } from "./subject.ts"
import { badSkips } from "./verdict.ts"

export const reportOf = ({ id, name, version, stability }: Agent, results: Result[]): Report => ({
  agent: id,
  name,
  version,
  stability,
  results,
})

/** Runs every scenario on one agent, one after the other, and gives the report. Over REST, or over the ACP face. */
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
  for (const scenario of scenarios) {
    const rows = await judge(scene, scenario, info.capabilities)
    onResults(rows)
    results.push(...rows)
  }
  return reportOf(info, results)
}

import { join } from "node:path"
import { keptReports } from "@sandbox-agent/conformance/kept-reports"
import { requirements } from "@sandbox-agent/conformance/requirements"
import { capabilityNames } from "@sandbox-agent/schema/agent"
import { agentWords } from "@sandbox-agent/schema/openapi/words/agent-words"
import { table } from "./table.ts"

/** Each capability: what it means, whether all agents have it, and what shows it. */
export function capabilityRows(): string {
  const reports = keptReports(join(import.meta.dirname, "../../docs/conformance"))
  const has = (id: string): boolean =>
    reports.every(({ results }) => results.some((result) => result.requirement === id && result.status === "passed"))
  const rows = capabilityNames.map((name) => {
    const shown = requirements.filter(({ capability }) => capability === name)
    // The first says what the capability is; the others what may be had of it besides.
    const [first] = shown
    const required = first !== undefined && has(first.id)
    return [
      `\`${name}\``,
      agentWords.Capabilities?.[name] ?? "",
      required ? "required" : "optional",
      shown.map(({ text }) => text).join("; ") || "declared by its driver",
    ]
  })
  return table(["capability", "the agent …", "", "shown by"], rows)
}

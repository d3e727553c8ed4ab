import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import type { Report } from "./report.ts"

/** The reports of a folder, by the agent's name; the mock last, it is no agent to choose. */
export function keptReports(folder: string): Report[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder)
    .filter((name) => name.endsWith(".json"))
    .map((name) => JSON.parse(readFileSync(join(folder, name), "utf8")) as Report)
    .sort((a, b) => Number(a.agent === "mock") - Number(b.agent === "mock") || a.name.localeCompare(b.name))
}

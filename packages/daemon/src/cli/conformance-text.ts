import type { Report } from "@sandbox-agent/conformance/report"
import type { Terminal } from "./print.ts"
import { table, tabSeparated } from "./table.ts"

/** Aligned with a summary on a screen, with tabs in a pipe. */
export function conformanceText({ name, version, results }: Report, terminal: Terminal): string {
  const rows = results.map(({ requirement, status, scenario, reason, error }) => [
    requirement,
    status,
    error ?? reason ?? scenario,
  ])
  if (!terminal.tty) return tabSeparated(rows)
  const count = (wanted: string) => results.filter(({ status }) => status === wanted).length
  const summary = `${name} ${version ?? ""}: ${count("passed")} passed, ${count("failed")} failed, ${count("skipped")} skipped\n`
  return `${table(["requirement", "status", ""], rows, terminal)}\n${summary}`
}

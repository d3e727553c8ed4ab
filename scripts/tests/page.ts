import { countOf, type FileRow } from "./results.ts"

const row = (cells: readonly (string | number)[]): string => `| ${cells.join(" | ")} |`

/** What was skipped, once for each reason: `n tests`, or the test where it is one. */
function skips(files: readonly FileRow[]): string[] {
  const byReason = new Map<string, string[]>()
  for (const { path, tests } of files)
    for (const { status, name, reason } of tests) {
      if (status !== "skipped") continue
      const why = `${reason ?? "what it needs is not on this machine"} (\`${path}\`)`
      byReason.set(why, [...(byReason.get(why) ?? []), name.trim()])
    }
  return [...byReason]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([why, names]) => `- ${why}: ${names.length === 1 ? names[0] : `${names.length} tests`}`)
}

/** The page of the last whole run. It names neither machine nor day: the history of the file has both. */
export function resultsPage(files: readonly FileRow[], version: string, minutes: number, cores: number): string {
  const parts = [...new Set(files.map(({ part }) => part))].sort((a, b) => (a < b ? -1 : 1))
  const failed = files.flatMap(({ path, tests }) =>
    tests.filter(({ status }) => status === "failed").map(({ name }) => `- \`${path}\`: ${name.trim()}`),
  )
  const line = (name: string, rows: readonly FileRow[]) =>
    row([name, rows.length, countOf(rows, "passed"), countOf(rows, "failed"), countOf(rows, "skipped")])
  return [
    "# Test results\n",
    "What `npm run test:full` last came to; it writes this page. Everything runs there: all scenarios of the conformance",
    "suite on every agent, over REST and over the ACP face, older versions of agents, all chaos rounds, real downloads.",
    "[Contributing](../CONTRIBUTING.md#tests) says what `npm test` leaves out.\n",
    `Sandbox Agent ${version}, ${process.platform} ${process.arch}, ${cores} cores, ${minutes} minutes.\n`,
    row(["", "files", "passed", "failed", "skipped"]),
    row(["---", "--:", "--:", "--:", "--:"]),
    ...parts.map((part) =>
      line(
        `\`${part}\``,
        files.filter((file) => file.part === part),
      ),
    ),
    line("**all**", files),
    "\n## Failed\n",
    ...(failed.length === 0 ? ["Nothing."] : failed),
    "\n## Skipped, and why\n",
    ...(countOf(files, "skipped") === 0 ? ["Nothing."] : skips(files)),
    "",
  ].join("\n")
}

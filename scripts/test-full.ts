import { mkdirSync, writeFileSync } from "node:fs"
import { availableParallelism } from "node:os"
import { join } from "node:path"
import { version } from "../packages/daemon/src/cli/version.ts"
import { resultsPage } from "./tests/page.ts"
import { readResultsFile } from "./tests/results.ts"

/** Runs everything there is to test, and writes what came of it to docs/test-results.md. */
const root = join(import.meta.dir, "..")
const results = join(root, "test-results", "full.json")
mkdirSync(join(root, "test-results"), { recursive: true })
const begun = performance.now()
const run = Bun.spawnSync([process.execPath, "--bun", "vitest", "run", ...process.argv.slice(2)], {
  cwd: root,
  env: { ...process.env, TEST_EXECUTABLE: "1", TEST_FULL: "1", TEST_RESULTS: results },
  stdio: ["inherit", "inherit", "inherit"],
})
const minutes = Math.round((performance.now() - begun) / 60_000)
// Only a whole run is a result; with words for vitest it is a part.
if (process.argv.length === 2)
  writeFileSync(
    join(root, "docs/test-results.md"),
    resultsPage(readResultsFile(results, root), version, minutes, availableParallelism()),
  )
process.exit(run.exitCode)

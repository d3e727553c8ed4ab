import { availableParallelism } from "node:os"
import { configDefaults, defineConfig } from "vitest/config"
import { full } from "./packages/test-agents/src/extent.ts"
import { FailureNotes } from "./scripts/tests/failure-notes.ts"
import { ProcessorReporter } from "./scripts/tests/processor.ts"
import { SlowFirst } from "./scripts/tests/slow-first.ts"

const cores = availableParallelism()
const results = process.env.TEST_RESULTS ?? "test-results/last.json"

export default defineConfig({
  test: {
    include: ["packages/*/test/**/*.test.ts", "bench/test/**/*.test.ts", "examples/*/test/*.test.ts"],
    // Only in `npm run test:full`.
    exclude: [...configDefaults.exclude, ...(full ? [] : ["**/*.full.test.ts"])],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // What is waited for by looking has as long as a test has, however slow the machine is; vitest's own is a second.
    expect: { poll: { timeout: 50_000, interval: 20 } },
    // Tests start real daemons and agents, and wait for them: with as many workers as cores a third of the machine would idle,
    // with three times as many it is full and every test takes half as long again.
    // In the whole suite most files play real agents, several at once each, and agents give up on what is too slow.
    maxWorkers: Math.min(12, full ? cores + 1 : 2 * cores),
    pool: "forks",
    // A process for each file would be a tenth of all work; `each-file.ts` sees to it that none finds what another one left.
    isolate: false,
    globalSetup: ["scripts/tests/turnstile.ts"],
    setupFiles: ["scripts/tests/worker.ts", "scripts/tests/each-file.ts"],
    sequence: { sequencer: SlowFirst },
    reporters: ["default", "json", new FailureNotes(), new ProcessorReporter(import.meta.dirname, results)],
    outputFile: { json: results },
    // Bun imports TypeScript itself, and the packages of this repository from their source: half of what a file costs before its first test.
    experimental: { viteModuleRunner: false, nodeLoader: false },
  },
})

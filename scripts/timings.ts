import { join } from "node:path"
import { readProcessorTimes } from "./tests/processor.ts"
import { type FileRow, readResultsFile } from "./tests/results.ts"

/**
 * Where the time of a test run went: `npm run timings [-- RESULTS.json] [--files N]`. Without a file the last run.
 * Files run side by side, so sums are more than the run took; those of processor time are at most as many times that as there are cores.
 */
const root = join(import.meta.dir, "..")
const words = process.argv.slice(2)
const at = words.indexOf("--files")
const count = at < 0 ? 40 : Number(words[at + 1])
const given = words.find((word, i) => !word.startsWith("--") && (at < 0 || i !== at + 1))
const results = given ?? join(root, "test-results", "last.json")
const files = readResultsFile(results, root)
const times = readProcessorTimes(results)

const seconds = (ms: number): string => (ms / 1000).toFixed(1).padStart(8)
const sum = (rows: readonly FileRow[]): number => rows.reduce((total, { ms }) => total + ms, 0)
const processor = (rows: readonly FileRow[]): string => {
  const known = rows.flatMap(({ path }) => times[path] ?? [])
  return known.length === 0 ? "-".padStart(8) : seconds(known.reduce((total, ms) => total + ms, 0))
}

const parts = [...new Set(files.map(({ part }) => part))]
  .map((part) => ({ part, rows: files.filter((file) => file.part === part) }))
  .sort((a, b) => sum(b.rows) - sum(a.rows))
console.log(" seconds      of  files  part")
console.log("       processor")
for (const { part, rows } of parts)
  console.log(`${seconds(sum(rows))}${processor(rows)} ${String(rows.length).padStart(6)}  ${part}`)
console.log(`${seconds(sum(files))}${processor(files)} ${String(files.length).padStart(6)}  all\n`)

console.log(" seconds      of  file, and its slowest test")
console.log("       processor")
for (const file of files.toSorted((a, b) => b.ms - a.ms).slice(0, count)) {
  const [slowest] = file.tests.toSorted((a, b) => b.ms - a.ms)
  console.log(`${seconds(file.ms)}${processor([file])}  ${file.path}`)
  if (slowest !== undefined && slowest.ms > 1_000)
    console.log(`${seconds(slowest.ms)}            ${slowest.name.trim()}`)
}

import { afterAll, vi } from "vitest"
import { endFile } from "../../packages/test-agents/src/after-file.ts"
import { processorMs } from "./processor.ts"
import { leftBehind, traces } from "./traces.ts"

// A worker runs many files, one after the other; this is loaded anew for each. Its hook is the first there is, so it runs last.
const environment = { ...process.env }
const folder = process.cwd()
const before = traces()
const began = processorMs()

// biome-ignore lint/correctness/noEmptyPattern: vitest reads from it that the hook wants no fixture.
afterAll(async ({}, file) => {
  await endFile()
  process.chdir(folder)
  for (const name of Object.keys(process.env)) if (!(name in environment)) delete process.env[name]
  Object.assign(process.env, environment)
  const look = () => {
    const left = leftBehind(before, traces())
    if (left.length > 0) throw new Error(`this is left to the next file of the worker: ${left.join(", ")}`)
  }
  // A process that was told to end may still be ending.
  await vi.waitFor(look, { timeout: 50_000, interval: 20 })
  const now = processorMs()
  if (began !== undefined && now !== undefined) Object.assign(file.meta, { processorMs: now - began })
})

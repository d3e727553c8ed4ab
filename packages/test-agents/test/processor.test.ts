import { writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { processorFile, processorMs, readProcessorTimes } from "../../../scripts/tests/processor.ts"

test.skipIf(process.platform !== "linux")(
  "the time of a program that has ended is counted, with that of what it started itself",
  async () => {
    const before = processorMs() ?? Number.NaN
    // It ends when it has used a fifth of a second by its own count.
    const work = "while (process.cpuUsage().user < 200_000);"
    const child = Bun.spawn(["sh", "-c", '"$0" -e "$1"; true', process.execPath, work], { env: process.env })
    expect(await child.exited).toBe(0)
    // Ticks are of ten milliseconds, and what is left of one is dropped.
    expect((processorMs() ?? Number.NaN) - before).toBeGreaterThanOrEqual(180)
  },
)

test("times stand beside the results they belong to, and are none where none were taken", () => {
  const results = join(tmpdir(), `processor-${process.pid}.json`)
  expect(readProcessorTimes(results)).toEqual({})
  writeFileSync(processorFile(results), '{"a.test.ts":20}')
  onTestFinished(() => Bun.file(processorFile(results)).delete())
  expect(readProcessorTimes(results)).toEqual({ "a.test.ts": 20 })
})

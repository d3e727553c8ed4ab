import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, relative } from "node:path"
import type { Reporter, TestModule } from "vitest/node"

/** Linux counts in these, whatever the clock of the machine is. */
const tickMs = 10

/**
 * Processor time of this process and of all that it started and that has ended: daemons, their agents, tools.
 * Not counted is what outlived the process that started it, as the parts of a browser do. Where there is no /proc it is unknown.
 */
export function processorMs(): number | undefined {
  if (!existsSync("/proc/self/stat")) return undefined
  const fields = readFileSync("/proc/self/stat", "utf8").split(") ").at(-1)?.split(" ") ?? []
  // utime, stime, cutime, cstime: the 14th to 17th of all, two of which stand before the name's end.
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks) * tickMs, 0)
}

/** What each file came to, by its path. */
export type ProcessorTimes = Record<string, number>

/** Beside the results that vitest writes, which have no place for it. */
export const processorFile = (results: string): string => results.replace(/(\.json)?$/, ".processor.json")

export const readProcessorTimes = (results: string): ProcessorTimes => {
  const file = processorFile(results)
  return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as ProcessorTimes) : {}
}

export class ProcessorReporter implements Reporter {
  constructor(
    private readonly root: string,
    private readonly results: string,
  ) {}

  onTestRunEnd(modules: readonly TestModule[]): void {
    const times: ProcessorTimes = {}
    for (const module of modules) {
      const { processorMs: ms } = module.meta() as { processorMs?: number }
      if (ms !== undefined) times[relative(this.root, module.moduleId)] = ms
    }
    const file = processorFile(this.results)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, JSON.stringify(times))
  }
}

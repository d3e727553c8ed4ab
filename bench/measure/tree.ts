import { readdirSync, readFileSync } from "node:fs"
import { pssMb, rssMb } from "./process.ts"

export interface TreeMemory {
  mb: number
  processes: number
  /** Shared pages divided among those who share them, or, where that cannot be read, counted for each. */
  kind: "PSS" | "RSS"
}

/** Memory of these processes and of everything they have started. */
export const treeMemory = (roots: readonly number[]): TreeMemory => memoryOf(treePids(roots))

export const processMemory = (pid: number): TreeMemory => memoryOf([pid])

export function memoryOf(pids: readonly number[]): TreeMemory {
  try {
    const mb = sum(pids.map(pssMb))
    if (!Number.isNaN(mb)) return { mb, processes: pids.length, kind: "PSS" }
  } catch {
    // Another user's process, or a kernel without smaps_rollup.
  }
  return { mb: sum(pids.map(rssMb)), processes: pids.length, kind: "RSS" }
}

/** These processes and everything they have started. */
export function treePids(roots: readonly number[]): number[] {
  const parents = parentsOfAll()
  const found = new Set(roots)
  for (let before = -1; before !== found.size; ) {
    before = found.size
    for (const [pid, parent] of parents) if (found.has(parent)) found.add(pid)
  }
  return [...found]
}

function parentsOfAll(): [pid: number, parent: number][] {
  if (process.platform !== "linux") {
    const said = Bun.spawnSync(["ps", "-A", "-o", "pid=,ppid="]).stdout.toString().trim()
    return said.split("\n").map((line) => line.trim().split(/\s+/).map(Number) as [number, number])
  }
  return readdirSync("/proc").flatMap((entry): [number, number][] => {
    if (!/^\d+$/.test(entry)) return []
    try {
      const stat = readFileSync(`/proc/${entry}/stat`, "latin1")
      return [[Number(entry), Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1])]]
    } catch {
      return []
    }
  })
}

const sum = (figures: readonly number[]): number => figures.reduce((all, one) => all + one, 0)

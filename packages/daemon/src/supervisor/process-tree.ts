import { readdirSync, readFileSync } from "node:fs"
import { killGroup, send, stateOf } from "./proc.ts"

/** The children of a process, zombies too; nothing where there is no /proc. */
export function childrenOf(pid: number): number[] {
  if (process.platform !== "linux") return []
  return fromTasks(pid) ?? fromParents(pid)
}

/** All below a process, the nearest first. */
export function descendantsOf(pid: number): number[] {
  const found = new Set([pid])
  // A set is walked in order, also over what is added on the way.
  for (const parent of found) for (const child of childrenOf(parent)) found.add(child)
  found.delete(pid)
  return [...found]
}

/** A process with all that can still be seen to stem from it. True when there was something to signal. */
export function killTree(pid: number): boolean {
  const below = descendantsOf(pid)
  const killed = send(pid, "SIGKILL")
  for (const descendant of below) send(descendant, "SIGKILL")
  return killed
}

/** A child with its group and all that can still be seen to stem from it. */
export function killWithGroup(pid: number): void {
  const below = descendantsOf(pid)
  killGroup(pid, "SIGKILL")
  for (const descendant of below) send(descendant, "SIGKILL")
}

/** Undefined when the kernel was built without these files. */
function fromTasks(pid: number): number[] | undefined {
  try {
    return readdirSync(`/proc/${pid}/task`).flatMap((task) =>
      readFileSync(`/proc/${pid}/task/${task}/children`, "latin1").split(" ").filter(Boolean).map(Number),
    )
  } catch {
    return stateOf(pid) === undefined ? [] : undefined
  }
}

function fromParents(pid: number): number[] {
  const pids = readdirSync("/proc").map(Number).filter(Number.isInteger)
  return pids.filter((candidate) => stateOf(candidate)?.parent === pid)
}

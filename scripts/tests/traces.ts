import { existsSync, readdirSync, readFileSync } from "node:fs"

/** What a worker has that one test file could leave to the next: each by a name, with what it was. */
export type Traces = ReadonlyMap<string, unknown>

export function traces(): Traces {
  const seen = new Map<string, unknown>()
  for (const name of globals) seen.set(`the global ${name}`, Object.getOwnPropertyDescriptor(globalThis, name)?.value)
  // A module that files share has one for the end of the worker.
  for (const name of process.eventNames())
    if (name !== "exit") seen.set(`listeners for ${String(name)}`, process.listenerCount(name))
  for (const { pid, command } of children()) seen.set(`a process: ${pid} ${command}`, true)
  return seen
}

/** Those of the language and the runtime; what libraries add for themselves comes with their modules, which stay. */
const globals = Object.getOwnPropertyNames(globalThis).filter((name) => !name.startsWith("__"))

/** Names of what is there and was not, is another, or is gone. */
export const leftBehind = (before: Traces, after: Traces): string[] =>
  [...new Set([...before.keys(), ...after.keys()])].filter((name) => !Object.is(before.get(name), after.get(name)))

/** Those that this process has started and that live. Where there is no /proc, nobody is looked for. */
export function children(): { pid: number; command: string }[] {
  if (!existsSync("/proc/self/stat")) return []
  return readdirSync("/proc").flatMap((name) => {
    const pid = Number(name)
    if (Number.isNaN(pid)) return []
    try {
      const [state, parent] = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? []
      if (Number(parent) !== process.pid || state === "Z") return []
      return { pid, command: readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ").trim() }
    } catch {
      // It ended while it was looked at.
      return []
    }
  })
}

import { access, constants, readFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { onPath } from "../../install/find.ts"
import type { Environment } from "../config-file.ts"
import { type Finding, findingsOf, messageOf } from "./finding.ts"

const { ok, warning, failed } = findingsOf("machine")

/** With fewer, a hundred sessions with their readers may not fit. */
const FEW_FILES = 1_024

/** What agents, terminals and the daemon itself need of the sandbox. */
export function machineFindings(env: Environment = process.env): Promise<Finding[]> {
  return Promise.all([processes(), terminal(), openFiles(), temporary(), program("git", env), program("bash", env)])
}

/** Agents that outlive a killed daemon are found there. */
async function processes(): Promise<Finding> {
  if (process.platform !== "linux") return ok("processes", "looked up with the tools of the system")
  try {
    await readFile("/proc/self/stat")
    return ok("processes", "/proc can be read")
  } catch (error) {
    const hint = "Mount /proc: processes of agents that a killed daemon left are found and ended by it."
    return failed("processes", `/proc cannot be read: ${messageOf(error)}`, hint)
  }
}

async function terminal(): Promise<Finding> {
  try {
    const child = Bun.spawn(["true"], { terminal: { cols: 80, rows: 24, data: () => {} } })
    await child.exited
    child.terminal?.close()
    return ok("terminals", "a terminal can be opened")
  } catch (error) {
    const hint = "Mount /dev/pts: terminals and commands of some agents need one."
    return warning("terminals", `no terminal can be opened: ${messageOf(error)}`, hint)
  }
}

async function openFiles(): Promise<Finding> {
  const limits = await readFile("/proc/self/limits", "latin1").catch(() => "")
  const most = Number(/^Max open files\s+(\d+)/m.exec(limits)?.[1] ?? Number.NaN)
  if (Number.isNaN(most) || most > FEW_FILES) return ok("open files", Number.isNaN(most) ? "no limit" : `up to ${most}`)
  return warning(
    "open files",
    `up to ${most}`,
    "Raise it (`ulimit -n 65536`): every stream and every agent takes some.",
  )
}

async function temporary(): Promise<Finding> {
  const folder = tmpdir()
  try {
    await access(folder, constants.W_OK | constants.X_OK)
    return ok("temporary files", folder)
  } catch (error) {
    return failed("temporary files", messageOf(error), `Make ${folder} writable, or set TMPDIR to a folder that is.`)
  }
}

async function program(name: string, env: Environment): Promise<Finding> {
  const found = await onPath(name, env.PATH ?? "")
  if (found !== undefined) return ok(name, found)
  return warning(name, "not on PATH", `Install ${name}: agents use it for most of what they do in a folder.`)
}

import { spawn } from "node:child_process"
import { closeSync, mkdirSync, openSync, readFileSync, renameSync, statSync } from "node:fs"
import { limits } from "@sandbox-agent/schema/limits"
import { openError } from "../store/open-error.ts"
import { daemonLog } from "./daemon-file.ts"
import { selfCommand } from "./self.ts"

export interface Background {
  readonly pid: number
  /** The exit code, once it has ended. */
  readonly ended: () => number | undefined
}

/** Starts the server in a session of its own, so that it stays when the terminal goes; output goes to its log. */
export function startBackground(dataDir: string, args: readonly string[], env: NodeJS.ProcessEnv): Background {
  const log = openLog(dataDir)
  const [program = "", ...selfArgs] = selfCommand()
  let exit: number | undefined
  try {
    const child = spawn(program, [...selfArgs, "server", ...args], { detached: true, stdio: ["ignore", log, log], env })
    child.on("error", () => {
      exit = 1
    })
    child.on("exit", (code) => {
      exit = code ?? 1
    })
    child.unref()
    return { pid: child.pid ?? 0, ended: () => exit }
  } finally {
    closeSync(log)
  }
}

function openLog(dataDir: string): number {
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 })
    return openSync(freshLog(dataDir), "a", 0o600)
  } catch (error) {
    throw openError(error, dataDir)
  }
}

/** A log that has grown large is turned over before the next start. */
function freshLog(dataDir: string): string {
  const path = daemonLog(dataDir)
  try {
    if (statSync(path).size > limits.logFileBytes) renameSync(path, `${path}.1`)
  } catch {
    // There is none yet.
  }
  return path
}

/** What a daemon that did not start wrote last. */
export function logTail(dataDir: string, from: number): string {
  try {
    const bytes = readFileSync(daemonLog(dataDir))
    return bytes.subarray(from).toString("utf8").trimEnd().split("\n").slice(-20).join("\n")
  } catch {
    return ""
  }
}

export function logSize(dataDir: string): number {
  try {
    const { size } = statSync(daemonLog(dataDir))
    return size > limits.logFileBytes ? 0 : size
  } catch {
    return 0
  }
}

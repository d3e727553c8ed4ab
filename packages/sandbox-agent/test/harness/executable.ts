import { chmodSync, mkdirSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"
import { daemonProgram } from "@sandbox-agent/test-agents/daemon-program"

/** A program at this path. */
export function writeProgram(path: string, script: string): string {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, `#!/bin/sh\n${script}\n`)
  chmodSync(path, 0o755)
  return path
}

/** The executable of the daemon at this path, also where the run has only its source. */
export const writeExecutable = (path: string): string =>
  writeProgram(
    path,
    `exec ${daemonProgram()
      .map((word) => `'${word}'`)
      .join(" ")} "$@"`,
  )

export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    if ((error as { code?: string }).code === "ESRCH") return false
    throw error
  }
}

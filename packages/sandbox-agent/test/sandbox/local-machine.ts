import { spawn } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

/** What stands in for a sandbox where tests have none: a home of its own on this machine, and processes that are killed with it. */
export class LocalMachine {
  readonly home: string
  readonly #groups = new Set<number>()

  constructor(home = mkdtempSync(join(tmpdir(), "sandbox-agent-machine-"))) {
    this.home = home
    mkdirSync(home, { recursive: true })
  }

  /** Nothing of this machine's own programs and keys, as in a sandbox. */
  environment(env: Record<string, string> = {}): Record<string, string> {
    return { HOME: this.home, PATH: "/usr/local/bin:/usr/bin:/bin", ...env }
  }

  start(words: string[], env: Record<string, string> = {}, stdio: "pipe" | "ignore" = "ignore") {
    const [program = "", ...args] = words
    const child = spawn(program, args, {
      cwd: this.home,
      env: this.environment(env),
      detached: true,
      stdio: ["pipe", stdio, stdio],
    })
    if (child.pid !== undefined) this.#groups.add(child.pid)
    return child
  }

  run(words: string[], env: Record<string, string> = {}, input?: Uint8Array) {
    const child = this.start(words, env, "pipe")
    let stdout = ""
    let stderr = ""
    child.stdout?.on("data", (bytes) => {
      stdout += bytes
    })
    child.stderr?.on("data", (bytes) => {
      stderr += bytes
    })
    child.stdin?.end(input)
    return new Promise<{ exitCode: number; stdout: string; stderr: string }>((resolve) =>
      child.on("close", (code) => resolve({ exitCode: code ?? 1, stdout, stderr })),
    )
  }

  remove(): void {
    killGroups([...this.#groups])
    rmSync(this.home, { recursive: true, force: true })
  }
}

export function killGroups(groups: readonly number[]): void {
  for (const group of groups)
    try {
      process.kill(-group, "SIGKILL")
    } catch (error) {
      if ((error as { code?: string }).code !== "ESRCH") throw error
    }
}

import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"

/** Stands for the program of an agent: tells a version that its driver takes, else leaves what it sees beside itself and ends. */
const script = (version: string): string => `#!/bin/sh
if [ "$1" = --version ]; then env > "$0.probe"; echo ${version}; exit 0; fi
env > "$0.part" && mv "$0.part" "$0.env"
exit 3
`

const versions: Readonly<Record<string, string>> = {
  amp: "0.0.1777897475-g2324e1",
  codex: "0.166.0",
  opencode: "1.18.18",
}

/** Programs that print their environment, in a folder of their own. */
export class PrintingAgents {
  constructor(private readonly folder: string) {
    mkdirSync(folder, { recursive: true })
  }

  /** The flag that makes it the agent's program. */
  flag(agent: string): string[] {
    return ["--agent-path", `${agent}=${this.program(agent)}`]
  }

  program(agent: string): string {
    const path = join(this.folder, agent)
    writeFileSync(path, script(versions[agent] ?? "1.2.3"))
    chmodSync(path, 0o755)
    return path
  }

  hasRun(agent: string): boolean {
    return existsSync(join(this.folder, `${agent}.env`))
  }

  /** What the agent saw. */
  seen(agent: string): Record<string, string> {
    return parsed(join(this.folder, `${agent}.env`))
  }

  /** What it saw when it was asked for its version; nothing of one that is not asked. */
  probed(agent: string): Record<string, string> {
    const file = join(this.folder, `${agent}.probe`)
    return existsSync(file) ? parsed(file) : {}
  }
}

export const parsed = (file: string): Record<string, string> => entries(readFileSync(file, "utf8"))

export const entries = (text: string): Record<string, string> =>
  Object.fromEntries(
    text
      .split("\n")
      .filter((line) => line.includes("="))
      .map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]),
  )

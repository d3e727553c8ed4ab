import { SandboxAgentError } from "@sandbox-agent/schema/error"
import type { Driver, Installation } from "../../core/driver.ts"
import { Catalogs, capabilities } from "./catalog.ts"
import { openConnection, type Program } from "./connection.ts"
import { readHistory } from "./history.ts"
import { configHome } from "./home.ts"

export interface ClaudeOptions {
  /** Where the program is; `command` starts it. */
  locate(): Promise<Installation & { command: string[] }>
  /** Variables that let it reach its model, where the daemon's own environment has none. */
  credentials?(): Promise<Record<string, string>>
}

/** Claude Code by its stream-json and control protocol, one process per session. */
export function createClaudeDriver({ locate, credentials }: ClaudeOptions): Driver {
  const catalogs = new Catalogs()
  const program = async (): Promise<Program> => {
    const { installed, command } = await locate()
    if (!installed || command.length === 0)
      throw new SandboxAgentError("agent_not_installed", "Claude Code is not installed", { agent: "claude" })
    return { command, credentials: (await credentials?.()) ?? {} }
  }
  return {
    spec: 1,
    agent: "claude",
    name: "Claude Code",
    stability: "stable",
    capabilities,
    forksAt: "head",
    async locate() {
      const { command: _, ...installation } = await locate()
      return installation
    },
    async open(options, sink, host) {
      return openConnection(await program(), options, sink, host)
    },
    async catalog(host) {
      const { command, credentials: env } = await program()
      return catalogs.get(command, env, host)
    },
    history: (ref, host) => readHistory(ref.home === host.home ? configHome({}) : ref.home, ref.id ?? ""),
  }
}

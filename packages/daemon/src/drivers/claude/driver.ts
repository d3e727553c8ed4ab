import { rm } from "node:fs/promises"
import { SandboxAgentError } from "@sandbox-agent/schema/error"
import type { Driver } from "../../core/driver.ts"
import type { Programs } from "../../core/programs.ts"
import { Catalogs, capabilities } from "./catalog.ts"
import { openConnection } from "./connection.ts"
import { readHistory } from "./history.ts"
import { configHome } from "./home.ts"
import { folderOf, type Launcher } from "./launch.ts"
import { checkSettings } from "./settings.ts"

export interface ClaudeOptions {
  /** Where the program comes from. */
  programs: Programs
  /** Variables that let it reach its model, where the daemon's own environment has none. */
  credentials?(): Promise<Record<string, string>>
}

/** Claude Code by its stream-json and control protocol, one process per session. */
export function createClaudeDriver({ programs, credentials }: ClaudeOptions): Driver {
  const catalogs = new Catalogs()
  const launcher = async (version?: string): Promise<Launcher> => {
    const { installed, command = [], env } = await programs.locate(version)
    if (!installed || command.length === 0)
      throw new SandboxAgentError("agent_not_installed", "Claude Code is not installed", { agent: "claude", version })
    return { command, env: { ...env, ...(await credentials?.()) } }
  }
  return {
    spec: 1,
    agent: "claude",
    name: "Claude Code",
    stability: "stable",
    capabilities,
    forksAt: "head",
    locate: () => programs.locate(),
    install: (options, onProgress) => programs.install(options, onProgress),
    ensure: (version, onProgress) => programs.ensure(version, onProgress),
    check: (settings) => checkSettings(settings),
    async open(options, sink, host) {
      return openConnection(await launcher(options.agentVersion), options, sink, host)
    },
    async catalog(host) {
      return catalogs.get(await launcher(), host)
    },
    forget: (sessionId, host) => rm(folderOf({ sessionId }, host), { recursive: true, force: true }),
    history: (ref, host) => readHistory(ref.home === host.home ? configHome({}) : ref.home, ref.id ?? ""),
  }
}

import { rm } from "node:fs/promises"
import { SandboxAgentError } from "@sandbox-agent/schema/error"
import type { Driver, Host, NativeRef } from "../../core/driver.ts"
import type { Programs } from "../../core/programs.ts"
import { Catalogs, capabilities } from "./catalog.ts"
import { readHistory } from "./history.ts"
import type { Launcher } from "./launch.ts"
import { folderOf, openThread } from "./open.ts"
import { Servers } from "./servers.ts"
import { checkSettings } from "./settings.ts"

export interface CodexOptions {
  /** Where the program comes from. */
  programs: Programs
  /** Of this daemon, told to the server. */
  version: string
}

/** Codex by its app-server: one process for all sessions of the same home, credentials and environment. */
export function createCodexDriver({ programs, version: ours }: CodexOptions): Driver {
  const servers = new Servers(ours)
  const catalogs = new Catalogs(servers)
  const launcher = async (version?: string): Promise<Launcher> => {
    const { installed, command = [], env = {} } = await programs.locate(version)
    if (!installed || command.length === 0)
      throw new SandboxAgentError("agent_not_installed", "Codex is not installed", { agent: "codex", version })
    return { command, env }
  }
  async function* history(ref: NativeRef, host: Host) {
    yield* readHistory(await launcher(), ref, host, servers)
  }
  return {
    spec: 1,
    agent: "codex",
    name: "Codex",
    stability: "stable",
    capabilities,
    shared: true,
    forksAt: "turn",
    locate: () => programs.locate(),
    install: (options, onProgress) => programs.install(options, onProgress),
    ensure: (version, onProgress) => programs.ensure(version, onProgress),
    check: (settings) => checkSettings(settings),
    async open(options, sink, host) {
      return openThread(await launcher(options.agentVersion), options, sink, host, servers)
    },
    async catalog(host) {
      return catalogs.get(await launcher(), host)
    },
    forget: (sessionId, host) => rm(folderOf(sessionId, host), { recursive: true, force: true }),
    history,
  }
}

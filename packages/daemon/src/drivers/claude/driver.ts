import type { Driver } from "../../core/driver.ts"
import { type Programs, startable } from "../../core/programs.ts"
import { capabilities } from "./about.ts"
import type { Catalogs } from "./catalog.ts"
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
  let catalogs: Catalogs | undefined
  const launcher = async (version?: string): Promise<Launcher> => {
    const { command, env } = await startable(programs, { id: "claude", name: "Claude Code" }, version)
    return { command, env: { ...env, ...(await credentials?.()) } }
  }
  return {
    spec: 1,
    agent: "claude",
    name: "Claude Code",
    stability: "stable",
    capabilities,
    forksAt: "head",
    takes: { systemPrompt: true, skills: true, mcp: ["stdio", "http", "sse"], mcpFailures: true },
    locate: (haste) => programs.locate(undefined, haste),
    install: (options, onProgress) => programs.install(options, onProgress),
    ensure: (version, onProgress) => programs.ensure(version, onProgress),
    check: (settings) => checkSettings(settings),
    async open(options, sink, host) {
      // Loaded with the first session: a daemon without any pays nothing for it.
      const { openConnection } = await import("./connection.ts")
      return openConnection(await launcher(options.agentVersion), options, sink, host)
    },
    async catalog(host) {
      const { Catalogs } = await import("./catalog.ts")
      catalogs ??= new Catalogs()
      return catalogs.get(await launcher(), host)
    },
    forget: (sessionId, host) => host.remove(folderOf({ sessionId }, host)),
    async *history(ref, host) {
      const { readHistory } = await import("./history.ts")
      yield* readHistory(ref.home === host.home ? configHome({}) : ref.home, ref.id ?? "", host)
    },
  }
}

import type { Catalog, Driver } from "../../core/driver.ts"
import type { Programs } from "../../core/programs.ts"
import { AnswerCache } from "../shared/answer-cache.ts"
import { launcherOf, programIdentity } from "../shared/launcher.ts"
import { sessionFolder } from "../shared/native-home.ts"
import { capabilities } from "./capabilities.ts"
import type { ClaudeLauncher } from "./connection.ts"
import { configHome } from "./home.ts"
import { checkSettings } from "./settings.ts"

export interface ClaudeOptions {
  /** Where the program comes from. */
  programs: Programs
  /** Variables that let it reach its model, where the daemon's own environment has none. */
  credentials?(): Promise<Record<string, string>>
}

/** Claude Code by its stream-json and control protocol, one process per session. */
export function createClaudeDriver({ programs, credentials }: ClaudeOptions): Driver {
  /** One answer per program, as long as that is the same file. */
  const catalogs = new AnswerCache<Catalog>()
  const found = launcherOf(programs, { id: "claude", name: "Claude Code" })
  const launcher = async (wanted?: string): Promise<ClaudeLauncher> => {
    const { command, env } = await found(wanted)
    const { version } = await programs.locate(wanted, "complete")
    return { command, env: { ...env, ...(await credentials?.()) }, ...(version !== undefined && { version }) }
  }
  return {
    spec: 1,
    agent: "claude",
    name: "Claude Code",
    stability: "stable",
    capabilities,
    forksAt: "head",
    takes: { systemPrompt: true, skills: true, mcp: ["stdio", "http", "sse"], mcpFailures: true },
    programs,
    check: (settings) => checkSettings(settings),
    async open(options, sink, host) {
      // Loaded with the first session: a daemon without any pays nothing for it.
      const { openConnection } = await import("./connection.ts")
      return openConnection(await launcher(options.agentVersion), options, sink, host)
    },
    async catalog(host) {
      const { readCatalog } = await import("./catalog.ts")
      const program = await launcher()
      return catalogs.get(JSON.stringify(programIdentity(program.command)), () => readCatalog(program, host))
    },
    carries: {
      find: async (...given) => (await import("./carried.ts")).findRecord(...given),
      place: async (record, options) => (await import("./carried.ts")).placeRecord(record, options),
    },
    forget: (sessionId, host) => host.remove(sessionFolder(sessionId, host)),
    async *history(ref, host) {
      const { readHistory } = await import("./history.ts")
      yield* readHistory(ref.home === host.home ? configHome({}) : ref.home, ref.id ?? "", host)
    },
  }
}

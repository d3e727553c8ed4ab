import type { Driver } from "../../core/driver.ts"
import type { Programs } from "../../core/programs.ts"
import { launcherOf } from "../shared/launcher.ts"
import { sessionFolder } from "../shared/native-home.ts"
import { capabilities, checkSettings } from "./capabilities.ts"

export interface PiOptions {
  /** Where the program comes from. */
  programs: Programs
}

/** Pi by its RPC mode, one process per session; what it may do an extension of ours asks. */
export function createPiDriver({ programs }: PiOptions): Driver {
  const launcher = launcherOf(programs, { id: "pi", name: "Pi" })
  return {
    spec: 1,
    agent: "pi",
    name: "Pi",
    stability: "stable",
    capabilities,
    forksAt: "turn",
    takes: {
      systemPrompt: true,
      skills: true,
      mcp: ["stdio", "http", "sse"],
      mcpTimeout: true,
      mcpFailures: true,
    },
    programs,
    check: checkSettings,
    async open(options, sink, host) {
      // Loaded with the first session: a daemon without any pays nothing for it.
      const { openConnection } = await import("./connection.ts")
      return openConnection(await launcher(options.agentVersion), options, sink, host)
    },
    async catalog(host) {
      const { readCatalog } = await import("./catalog.ts")
      return readCatalog(await launcher(), host)
    },
    async *history(ref, host) {
      const [{ readHistory }, { sessionsHome }] = await Promise.all([import("./history.ts"), import("./home.ts")])
      yield* readHistory(ref.home === host.home ? sessionsHome(host.environment({})) : ref.home, ref.id ?? "", host)
    },
    carries: {
      find: async (...given) => (await import("./carried.ts")).findRecord(...given),
      place: async (...given) => (await import("./carried.ts")).placeRecord(...given),
    },
    forget: (sessionId, host) => host.remove(sessionFolder(sessionId, host)),
  }
}

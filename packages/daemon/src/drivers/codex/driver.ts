import type { Driver, Host, NativeRef } from "../../core/driver.ts"
import type { Programs } from "../../core/programs.ts"
import { launcherOf } from "../shared/launcher.ts"
import { sessionFolder } from "../shared/native-home.ts"
import { capabilities, checkSettings } from "./capabilities.ts"

export interface CodexOptions {
  /** Where the program comes from. */
  programs: Programs
  /** Of this daemon, told to the server. */
  version: string
}

/** Codex by its app-server: one process for all sessions of the same home, credentials and environment. */
export function createCodexDriver({ programs, version: ours }: CodexOptions): Driver {
  /** Loaded with the first session: a daemon without any pays nothing for it. */
  let loaded: ReturnType<typeof load> | undefined
  const inside = () => {
    loaded ??= load(ours)
    return loaded
  }
  const launcher = launcherOf(programs, { id: "codex", name: "Codex" })
  async function* history(ref: NativeRef, host: Host) {
    const { readHistory, servers } = await inside()
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
    takes: { systemPrompt: true, skills: true, mcp: ["stdio", "http"], mcpTimeout: true, mcpFailures: true },
    programs,
    check: (settings) => checkSettings(settings),
    async open(options, sink, host) {
      const { openThread, servers } = await inside()
      return openThread(await launcher(options.agentVersion), options, sink, host, servers)
    },
    async catalog(host) {
      return (await inside()).catalogs.get(await launcher(), host)
    },
    carries: {
      find: async (...given) => (await import("./carried.ts")).findRecord(...given),
      place: async (...given) => (await import("./carried.ts")).placeRecord(...given),
    },
    forget: (sessionId, host) => host.remove(sessionFolder(sessionId, host)),
    history,
  }
}

async function load(ours: string) {
  const [{ Servers }, { Catalogs }, { openThread }, { readHistory }] = await Promise.all([
    import("./servers.ts"),
    import("./catalog.ts"),
    import("./open.ts"),
    import("./history.ts"),
  ])
  const servers = new Servers(ours)
  return { servers, catalogs: new Catalogs(servers), openThread, readHistory }
}

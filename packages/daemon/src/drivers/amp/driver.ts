import { SandboxAgentError } from "@sandbox-agent/schema/error"
import type { Driver } from "../../core/driver.ts"
import type { Programs } from "../../core/programs.ts"
import { launcherOf } from "../shared/launcher.ts"
import { sessionFolder } from "../shared/native-home.ts"
import { capabilities, catalog, checkSettings } from "./capabilities.ts"

export interface AmpOptions {
  /** Where the program comes from. */
  programs: Programs
  /** The words that start this program again: it is also what Amp asks before each tool. */
  self: readonly string[]
}

/** Amp by its stream of JSON, one process per session; what it may do it asks a program of ours. */
export function createAmpDriver({ programs, self }: AmpOptions): Driver {
  // It says nothing before it is told something: that it is another version is known before it is started, or too late.
  const launcher = launcherOf(programs, { id: "amp", name: "Amp" }, "complete")
  return {
    spec: 1,
    agent: "amp",
    name: "Amp",
    // Its vendor has gone on to another protocol between it and its server.
    stability: "experimental",
    capabilities,
    takes: { systemPrompt: false, skills: true, mcp: ["stdio", "http", "sse"], mcpFailures: true },
    programs,
    check: checkSettings,
    async open(options, sink, host) {
      // Loaded with the first session: a daemon without any pays nothing for it.
      const { openConnection } = await import("./connection.ts")
      return openConnection(() => launcher(options.agentVersion), self, options, sink, host)
    },
    catalog: async () => catalog,
    async *history(ref, host) {
      const [{ exportThread }, { environment }, { pastItems }] = await Promise.all([
        import("./threads.ts"),
        import("./launch.ts"),
        import("./history.ts"),
      ])
      const program = await launcher()
      const place = { owner: "history:amp", directory: host.home, env: environment({}, program.env) }
      const thread = await exportThread(program, ref.id ?? "", place, host).catch((error: unknown) => {
        // The session may have the key that the daemon lacks: when it is opened, it is seen whether there is a thread.
        if (SandboxAgentError.is(error) && error.code === "unavailable") return {}
        throw error
      })
      yield* pastItems(thread)
    },
    forget: (sessionId, host) => host.remove(sessionFolder(sessionId, host)),
  }
}

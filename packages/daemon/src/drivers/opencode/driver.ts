import type { Catalog, Driver, Host, NativeRef } from "../../core/driver.ts"
import type { Programs } from "../../core/programs.ts"
import { AnswerCache } from "../shared/answer-cache.ts"
import { allCapabilitiesBut } from "../shared/capabilities.ts"
import { launcherOf } from "../shared/launcher.ts"
import { openMsOf } from "../shared/open-ms.ts"
import { Pool, type ServerHooks } from "../shared/pool.ts"
import type { Serving } from "./connection.ts"
import type { Launch } from "./launch.ts"
import type { Server } from "./server.ts"

export interface OpencodeOptions {
  /** Where the program comes from. */
  programs: Programs
}

/** A plan of OpenCode's is its answer: there is nothing to approve. */
const capabilities = allCapabilitiesBut("planApproval")

/** OpenCode by the HTTP interface of `opencode serve`, one server for all sessions that can share it. */
export function createOpencodeDriver({ programs }: OpencodeOptions): Driver {
  const pool = new Pool<Server>()
  /** What a server said of itself, until another one takes its place. */
  const catalogs = new AnswerCache<Catalog>()
  const serving: Serving = { pool, started: (key) => catalogs.forget(key), fences: new Map() }
  const launcher = launcherOf(programs, { id: "opencode", name: "OpenCode" })
  const launch = async (host: Host, ref?: NativeRef): Promise<Launch> => {
    const from = ref === undefined ? ({ kind: "new" } as const) : ({ kind: "resume", ref } as const)
    const { launchFor } = await import("./launch.ts")
    const { ordinary } = await import("./project.ts")
    return launchFor(await launcher(), { from, directory: host.home, env: {}, settings: {} }, host, {}, ordinary)
  }
  /** A server for a moment, to ask it something. */
  async function visit<T>(wanted: Launch, host: Host, ask: (server: Server) => Promise<T>): Promise<T> {
    const { startServer } = await import("./server.ts")
    const start = (hooks: ServerHooks) => startServer(wanted, hooks, host)
    const lease = await pool.lease(wanted.key, { lost: () => undefined }, start, { startMs: openMsOf(host) })
    return ask(lease.server).finally(() => lease.release())
  }
  return {
    spec: 1,
    agent: "opencode",
    name: "OpenCode",
    stability: "stable",
    capabilities,
    shared: true,
    modesOfSession: true,
    forksAt: "turn",
    takes: { systemPrompt: true, skills: true, mcp: ["stdio", "http", "sse"], mcpTimeout: true, mcpFailures: true },
    programs,
    async open(options, sink, host) {
      // Loaded with the first session: a daemon without any pays nothing for it.
      const { openConnection } = await import("./connection.ts")
      const version = async () => (await programs.locate(options.agentVersion, "complete")).version
      return openConnection(serving, { ...(await launcher(options.agentVersion)), version }, options, sink, host)
    },
    async catalog(host) {
      const wanted = await launch(host)
      const { catalogOf } = await import("./directories.ts")
      return catalogs.get(wanted.key, () =>
        visit(wanted, host, async ({ directories }) => catalogOf(await directories.get(host.home))),
      )
    },
    async *history(ref, host) {
      const { readHistory } = await import("./history.ts")
      const wanted = await launch(host, ref)
      yield* await visit(wanted, host, ({ client }) => readHistory(client, ref.id ?? ""))
    },
  }
}

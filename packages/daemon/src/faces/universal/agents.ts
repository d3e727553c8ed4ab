import type { Agent } from "@sandbox-agent/schema/agent"
import { agentStatusOf } from "../../core/agent-stats.ts"
import type { Driver } from "../../core/driver.ts"
import type { OnInstallProgress } from "../../core/programs.ts"
import type { Handlers } from "../http/router.ts"
import type { Services } from "../services.ts"
import { installStream } from "./install-stream.ts"

type AgentHandlers = Pick<Handlers, "listAgents" | "getAgent" | "installAgent" | "listModes" | "listModels">

export function agentHandlers(services: Services): AgentHandlers {
  const { agents, intervals } = services
  return {
    listAgents: async () => ({
      agents: await Promise.all(agents.list().map((driver) => agentOf(services, driver))),
    }),
    getAgent: ({ params }) => agentOf(services, agents.get(params.agent)),
    installAgent: async ({ params, body, request, requestId }) => {
      const run = async (onProgress?: OnInstallProgress) => {
        const { installed, version, path, notes } = await agents.install(params.agent, body, onProgress)
        return { installed, version, path, notes }
      }
      if (!request.headers.get("accept")?.includes("text/event-stream")) return run()
      return installStream(run, requestId, request.signal, intervals.heartbeatMs)
    },
    listModes: async ({ params }) => ({ modes: (await agents.catalog(params.agent)).modes }),
    listModels: async ({ params }) => {
      const { models, defaultModel } = await agents.catalog(params.agent)
      return { models, defaultModel }
    },
  }
}

async function agentOf({ children, agents }: Services, driver: Driver): Promise<Agent> {
  const { installed, version, path, source, credentials } = await driver.programs.locate()
  const { agent: id, name, stability, capabilities } = driver
  const processes = children().filter((child) => child.label === id)
  // Of several the one that was started last: those before it may only linger.
  const newest = processes.at(-1)
  const stats = agents.stats(id)
  return {
    id,
    name,
    stability,
    installed,
    version,
    path,
    source,
    credentialsAvailable: credentials === "available",
    credentials,
    capabilities,
    process: {
      status: agentStatusOf(stats, newest !== undefined),
      pid: newest?.pid,
      uptimeMs: newest === undefined ? undefined : Math.round(Date.now() - newest.startedAt),
      rssBytes: processes.reduce((sum, child) => sum + (child.rssBytes ?? 0), 0) || undefined,
      restartCount: stats.restarts,
      lastError: stats.lastError,
    },
  }
}

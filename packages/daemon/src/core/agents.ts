import type { InstallRequest } from "@sandbox-agent/schema/install"
import { catalogOf } from "./agent-queries.ts"
import { type AgentStats, agentStatsOf } from "./agent-stats.ts"
import type { Context } from "./context.ts"
import type { Catalog, Driver } from "./driver.ts"
import { assertLoginIn } from "./login.ts"
import { assertVersion } from "./options.ts"
import type { OnInstallProgress, Program } from "./programs.ts"
import type { Sessions } from "./sessions.ts"

/** The agents of this daemon, as clients ask about them. */
export class Agents {
  readonly #context: Context

  constructor(private readonly sessions: Sessions) {
    this.#context = sessions.context
  }

  get ids(): string[] {
    return [...this.#context.drivers.keys()]
  }

  list(): Driver[] {
    return [...this.#context.drivers.values()]
  }

  /** Throws `unsupported_agent` for one that this daemon does not have. */
  get(agent: string): Driver {
    return this.sessions.driver(agent)
  }

  /** What an agent offers: its modes and models. */
  catalog(agent: string): Promise<Catalog> {
    return catalogOf(this.#context, this.get(agent))
  }

  /** Installs an agent. One that is part of the daemon is always there. */
  async install(
    agent: string,
    { forSession, ...options }: InstallRequest,
    onProgress?: OnInstallProgress,
  ): Promise<Program> {
    const driver = this.get(agent)
    if (forSession !== undefined) await assertLoginIn(this.#context, driver, forSession)
    const { programs } = driver
    if (programs.install) return await programs.install(options, onProgress)
    if (options.version !== undefined) await assertVersion(driver, options.version)
    return await programs.locate()
  }

  stats(agent: string): AgentStats {
    return agentStatsOf(this.#context, agent)
  }
}

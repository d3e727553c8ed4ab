import { mkdirSync } from "node:fs"
import { join } from "node:path"
import type { Model } from "@sandbox-agent/schema/agent"
import { acpAgentLimits } from "@sandbox-agent/schema/driver-limits"
import { withDeadline } from "../../core/deadline.ts"
import type { Catalog, Host, InitialChoices } from "../../core/driver.ts"
import { AnswerCache } from "../shared/answer-cache.ts"
import { text } from "../shared/json.ts"
import { type Launcher, programIdentity } from "../shared/launcher.ts"
import { openMsOf } from "../shared/open-ms.ts"
import type { AcpAgent } from "./agent.ts"
import { loginHint, typed } from "./failure.ts"
import { initialOf } from "./initial.ts"
import { Options } from "./options.ts"
import type { ProcessLease, Servers } from "./server.ts"

export interface AcpCatalog extends Catalog {
  /** What it chooses itself in a new session. */
  initial: InitialChoices
}

/** What an agent offers is known only in a session: one is made for it, once for each program as it is. */
export class Catalogs {
  readonly #known = new AnswerCache<AcpCatalog>()

  constructor(
    private readonly agent: AcpAgent,
    private readonly servers: Servers,
  ) {}

  get(launcher: Launcher, host: Host): Promise<AcpCatalog> {
    const identity = JSON.stringify([programIdentity(launcher.command), launcher.env])
    return this.#known.get(identity, () => this.#ask(launcher, host))
  }

  async #ask(launcher: Launcher, host: Host): Promise<AcpCatalog> {
    const { agent } = this
    const directory = join(host.home, "catalog")
    host.asAgent(() => mkdirSync(directory, { recursive: true, mode: 0o700 }))
    const lease = await this.servers.startDedicated(
      launcher,
      directory,
      `catalog:${agent.id}`,
      host,
      undefined,
      () => {},
    )
    try {
      return await withDeadline(
        read(lease, agent, directory),
        openMsOf(host),
        `${agent.name} did not say what it offers`,
      )
    } catch (error) {
      throw typed(error, agent.id, agent.name, loginHint(lease.abilities.authMethods, launcher.command, []))
    } finally {
      await lease.leave()
    }
  }
}

async function read({ process, abilities }: ProcessLease, agent: AcpAgent, cwd: string): Promise<AcpCatalog> {
  const opened = await process.request("session/new", { cwd, mcpServers: [], _meta: agent.traits.sessionMeta })
  const sessionId = text(opened.sessionId) ?? ""
  const options = new Options(agent.traits)
  options.update(opened)
  const initial = initialOf(options)
  const defaultModel = options.model?.current
  const { modes, passthrough } = options
  const models: Model[] = []
  for (const [n, { id, name }] of (options.model?.values ?? []).entries()) {
    const select = options.model
    // The variants are those of the model that is chosen.
    if (
      options.variant !== undefined &&
      select?.id !== undefined &&
      id !== select.current &&
      n < acpAgentLimits.probedModels
    )
      options.update(await process.request("session/set_config_option", { sessionId, configId: select.id, value: id }))
    const variant = options.model?.current === id ? options.variant : undefined
    const variants = variant?.values.map((value) => value.id) ?? []
    models.push({ id, name, variants, ...(variant?.current !== undefined && { defaultVariant: variant.current }) })
  }
  if (abilities.remove) await process.request("session/delete", { sessionId }).catch(() => undefined)
  return { modes, models, passthrough, initial, ...(defaultModel !== undefined && { defaultModel }) }
}

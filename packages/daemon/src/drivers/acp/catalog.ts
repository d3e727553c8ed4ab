import { mkdirSync } from "node:fs"
import { join } from "node:path"
import type { Model } from "@sandbox-agent/schema/agent"
import { acpAgentLimits } from "@sandbox-agent/schema/driver-limits"
import { withDeadline } from "../../core/deadline.ts"
import type { Catalog, Host } from "../../core/driver.ts"
import { AnswerCache } from "../shared/answer-cache.ts"
import { type Json, text } from "../shared/json.ts"
import { type Launcher, programIdentity } from "../shared/launcher.ts"
import { openMsOf } from "../shared/open-ms.ts"
import type { AcpAgent } from "./agent.ts"
import { loginHint, typed } from "./failure.ts"
import { Options } from "./options.ts"
import type { ProcessLease, Servers } from "./server.ts"

/** What an agent offers is known only in a session: one is made for it, once for each program as it is. */
export class Catalogs {
  readonly #known = new AnswerCache<Catalog>()
  readonly #offers = new AnswerCache<Json>()

  constructor(
    private readonly agent: AcpAgent,
    private readonly servers: Servers,
  ) {}

  get(launcher: Launcher, host: Host): Promise<Catalog> {
    const identity = identityOf(launcher)
    return this.#known.get(identity, () => this.#both(identity, launcher, host).all)
  }

  /** What it says of itself in a new session: known before its models are, and without them. */
  offer(launcher: Launcher, host: Host): Promise<Json> {
    const identity = identityOf(launcher)
    const offer = this.#offers.get(identity, () => this.#both(identity, launcher, host).offer)
    // A session that opens waits for it: it gives up before the session does.
    return withDeadline(offer, openMsOf(host) / 2, `${this.agent.name} did not say what it begins with`)
  }

  /** Asked for one, it tells the other as well. */
  #both(identity: string, launcher: Launcher, host: Host) {
    const { promise: offer, resolve, reject } = Promise.withResolvers<Json>()
    const all = this.#ask(launcher, host, resolve)
    all.catch(reject)
    this.#offers.forget(identity)
    void this.#offers.get(identity, () => offer)
    this.#known.forget(identity)
    void this.#known.get(identity, () => all)
    return { all, offer }
  }

  async #ask(launcher: Launcher, host: Host, told: (offer: Json) => void): Promise<Catalog> {
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
        read(lease, agent, directory, told),
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

const identityOf = ({ command, env }: Launcher): string => JSON.stringify([programIdentity(command), env])

async function read(
  { process, abilities }: ProcessLease,
  agent: AcpAgent,
  cwd: string,
  told: (offer: Json) => void,
): Promise<Catalog> {
  const opened = await process.request("session/new", { cwd, mcpServers: [], _meta: agent.traits.sessionMeta })
  const sessionId = text(opened.sessionId) ?? ""
  const options = new Options(agent.traits)
  options.update(opened)
  told({ configOptions: opened.configOptions, modes: opened.modes, models: opened.models })
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
  return { modes, models, passthrough, ...(defaultModel !== undefined && { defaultModel }) }
}

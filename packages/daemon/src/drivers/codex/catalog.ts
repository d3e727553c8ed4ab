import { stat } from "node:fs/promises"
import { join } from "node:path"
import type { Mode } from "@sandbox-agent/schema/agent"
import { withDeadline } from "../../core/deadline.ts"
import type { Catalog, Host } from "../../core/driver.ts"
import { AnswerCache } from "../shared/answer-cache.ts"
import type { Launcher } from "../shared/launcher.ts"
import { openMsOf } from "../shared/open-ms.ts"
import { poolKey } from "./launch.ts"
import { listedModels } from "./models.ts"
import { serverHomeOf } from "./server-home.ts"
import type { Servers } from "./servers.ts"

const modes: Mode[] = [
  { id: "build", name: "Build", description: "Does the work" },
  { id: "plan", name: "Plan", description: "Talks its way to a plan; restricts nothing by itself" },
]

/** Models of the program and the user's choice among them, as long as neither has changed. */
export class Catalogs {
  readonly #known = new AnswerCache<Catalog>()

  constructor(private readonly servers: Servers) {}

  async get(launcher: Launcher, host: Host): Promise<Catalog> {
    const serverHome = await serverHomeOf({ kind: "new" }, {}, host)
    const key = poolKey(launcher, serverHome, host, undefined)
    const config = await stat(join(serverHome.home, "config.toml")).catch(() => undefined)
    return this.#known.get(`${key} ${config?.mtimeMs}`, () => this.#ask({ key, launcher, serverHome }, host))
  }

  async #ask(options: Parameters<Servers["lease"]>[0], host: Host): Promise<Catalog> {
    const openMs = openMsOf(host)
    const giveUp = new AbortController()
    const leased = this.servers.lease(options, { lost: () => undefined }, host, giveUp.signal)
    const { server, release } = await withDeadline(leased, openMs, "Codex did not start").catch((error: unknown) => {
      giveUp.abort()
      throw error
    })
    try {
      const asked = Promise.all([server.models(), server.request("config/read", {})])
      const [models, { config }] = await withDeadline(asked, openMs, "Codex did not say what it offers")
      const defaultModel = config?.model ?? models.find(({ isDefault }) => isDefault)?.id
      return { modes, models: listedModels(models), ...(defaultModel && { defaultModel }) }
    } finally {
      release()
    }
  }
}

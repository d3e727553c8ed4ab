import type { Catalog } from "../../core/driver.ts"
import type { Services } from "../services.ts"

/** What agents offer, as last heard: events are projected without waiting for an agent. */
export class Catalogs {
  readonly #known = new Map<string, Catalog>()

  constructor(readonly services: Services) {}

  async of(agent: string): Promise<Catalog> {
    const catalog = await this.services.agents.catalog(agent)
    this.#known.set(agent, catalog)
    return catalog
  }

  known(agent: string): Catalog | undefined {
    return this.#known.get(agent)
  }
}

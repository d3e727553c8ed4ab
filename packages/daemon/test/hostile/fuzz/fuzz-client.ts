import type { Event } from "@sandbox-agent/schema/event"
import { faultsOf } from "../../durability/invariants.ts"
import { seeded } from "../../durability/survivor.ts"
import type { Api } from "../../harness/api.ts"
import { pick, type Random } from "./grammar.ts"

const STEPS_OF_A_TURN = 12
/** Looks at a turn, 20 ms apart, before it is cancelled: an agent may hang. */
const PATIENCE = 25
/** After so many it never will come to rest, cancelled again and again. */
const NEVER = 120 * PATIENCE

interface Session {
  status: string
  queue: unknown[]
  pending: { permissions: number }
}

/** One client that gives seeds to agents and does to their sessions what clients do. */
export class FuzzClient {
  readonly #random: Random
  #count = 0
  /** What was found wrong, each with what made it. */
  readonly faults: string[] = []
  /** Seeds given to the session that is open. */
  #given: string[] = []
  #id: string | undefined

  constructor(
    readonly name: string,
    seed: number,
    private readonly api: Api,
    private readonly agent: { id: string; directory: string },
  ) {
    this.#random = seeded(seed)
  }

  /** One turn. Gives how many steps it was. */
  async turn(): Promise<number> {
    const id = this.#id ?? (await this.#create())
    const seed = Math.floor(this.#random() * 2 ** 31)
    const count = 1 + Math.floor(this.#random() * STEPS_OF_A_TURN)
    this.#given.push(`${seed} ${count}`)
    await this.api.ok("POST", `/v1/sessions/${id}/messages`, { message: `${seed} ${count}` })
    const chance = this.#random()
    if (chance < 0.05) await this.end("DELETE")
    else if (chance < 0.1) await this.end("terminate")
    else {
      if (chance < 0.15) await this.api.ok("POST", `/v1/sessions/${id}/cancel`, {})
      await this.#rest(id)
      if (chance > 0.92) await this.end(pick(this.#random, ["DELETE", "terminate"]))
    }
    return count
  }

  /** The session is over; its log tells a whole story. */
  async end(how: "DELETE" | "terminate" = "terminate"): Promise<void> {
    const id = this.#id
    if (id === undefined) return
    const path = `/v1/sessions/${id}`
    if (how === "terminate") {
      await this.api.ok("POST", `${path}/terminate`, {})
      const wrong = faultsOf(await this.#events(id))
      if (wrong.length > 0) this.faults.push(`${id} after ${this.#given.join(", ")}: ${wrong.join("; ")}`)
    }
    await this.api.ok("DELETE", path)
    this.#id = undefined
  }

  async #create(): Promise<string> {
    const id = `${this.name}-${++this.#count}`
    const permissionMode = pick(this.#random, ["default", "acceptEdits", "bypass"])
    await this.api.ok("POST", `/v1/sessions/${id}`, {
      agent: this.agent.id,
      directory: this.agent.directory,
      permissionMode,
    })
    this.#given = []
    this.#id = id
    return id
  }

  /** Answers most of what is asked; a turn that does not end by itself is cancelled, and then has to. */
  async #rest(id: string): Promise<void> {
    const path = `/v1/sessions/${id}`
    for (let looks = 0; ; looks++) {
      const { status, queue, pending } = await this.api.ok<Session>("GET", path)
      if (status === "idle" && queue.length === 0) return
      if (pending.permissions > 0) await this.#reply(path)
      if (looks > NEVER) throw new Error(await this.#lastEvents(id))
      if (looks % PATIENCE === PATIENCE - 1) await this.api.ok("POST", `${path}/cancel`, {})
      await Bun.sleep(20)
    }
  }

  async #reply(path: string): Promise<void> {
    const { permissions } = await this.api.ok<{ permissions: { permission_id: string }[] }>("GET", `${path}/pending`)
    for (const { permission_id } of permissions)
      if (this.#random() < 0.7)
        // It may have been withdrawn meanwhile.
        await this.api.call("POST", `${path}/permissions/${permission_id}/reply`, {
          reply: pick(this.#random, ["once", "always", "reject"]),
        })
  }

  /** All there is to know of a session that hangs. */
  async #lastEvents(id: string): Promise<string> {
    const session = await this.api.ok("GET", `/v1/sessions/${id}`)
    const last = (await this.#events(id))
      .slice(-20)
      .map(({ type, data }) => `${type} ${JSON.stringify(data).slice(0, 200)}`)
    return `${id} never came to rest after ${this.#given.join(", ")}: ${JSON.stringify(session)}\n${last.join("\n")}`
  }

  async #events(id: string): Promise<Event[]> {
    const all: Event[] = []
    for (let offset = 0, more = true; more; ) {
      const path = `/v1/sessions/${id}/events?offset=${offset}&limit=1000`
      const page = await this.api.ok<{ events: Event[]; hasMore: boolean }>("GET", path)
      all.push(...page.events)
      offset = page.events.at(-1)?.sequence ?? offset
      more = page.hasMore
    }
    return all
  }
}

import { seeded } from "../../durability/survivor.ts"
import type { TestDaemon } from "../../harness/daemon.ts"
import { expectReplay, expectWhole } from "./assertions.ts"
import { BareClient } from "./bare-client.ts"
import { type AgentPrompts, ChaosWorker } from "./chaos-worker.ts"
import type { Form, Json } from "./client.ts"
import { FaultyProxy } from "./faulty-proxy.ts"
import { Gate } from "./gate.ts"
import { ProductClient } from "./product-client.ts"

export interface Kind {
  client: typeof BareClient | typeof ProductClient
  form: Pick<Form, "kind" | "path">
  capabilities: Json
}

const withForm = { elicitation: { form: {} } }

/** Every form of the face, with a client that hides nothing and with ours. Those without headers need an address each. */
export const kinds: Kind[] = [
  { client: BareClient, form: { kind: "official", path: "/v1/rpc" }, capabilities: withForm },
  { client: ProductClient, form: { kind: "headerless", path: "/v1/acp/ours" }, capabilities: {} },
  { client: BareClient, form: { kind: "headerless", path: "/v1/rpc" }, capabilities: {} },
  { client: ProductClient, form: { kind: "official", path: "/v2/rpc" }, capabilities: {} },
  { client: BareClient, form: { kind: "headerless", path: "/v1/acp/bare" }, capabilities: withForm },
  { client: ProductClient, form: { kind: "headerless", path: "/v2/rpc" }, capabilities: withForm },
]

export interface ArenaOptions {
  play: AgentPrompts
  seed: number
  kinds?: Kind[]
  /** The daemon is killed now and then. */
  mortal?: boolean
}

/** Clients of one daemon, each on a line that breaks. */
export class Arena implements Disposable {
  readonly workers: ChaosWorker[] = []
  readonly gate = new Gate()
  /** Messages that came to any of the clients. */
  heard = 0
  readonly #cutting: ReturnType<typeof setInterval>

  private constructor(seed: number) {
    const dice = seeded(seed)
    // Beside those at a byte: connections on which nothing flows are cut as well.
    this.#cutting = setInterval(() => this.workers[Math.floor(dice() * this.workers.length)]?.line.cutAny(), 25)
  }

  static async open(daemon: TestDaemon, { play, seed, kinds: chosen = kinds, mortal = false }: ArenaOptions) {
    const arena = new Arena(seed)
    for (const [n, { client: Client, form, capabilities }] of chosen.entries()) {
      const random = seeded(seed * 100 + n)
      const line = await FaultyProxy.to(Number(new URL(daemon.url).port), seeded(seed * 100 + 50 + n))
      const { agent } = play
      const client = new Client(line.url, daemon.token, { ...form, agent }, capabilities, random, () => arena.heard++)
      await client.initialize()
      const name = `${Client.name}-${form.kind}-${n}`
      arena.workers.push(
        new ChaosWorker({ name, client, line, random, play, gate: arena.gate, mortal, api: daemon.api }),
      )
    }
    return arena
  }

  get cuts(): number {
    return this.workers.reduce((sum, { line }) => sum + line.total, 0)
  }

  /** All workers at once, each until it has done enough. */
  async work(enough: (worker: ChaosWorker) => boolean): Promise<void> {
    await Promise.all(
      this.workers.map(async (worker) => {
        while (!enough(worker)) await worker.round()
      }),
    )
  }

  async expectAll(daemon: TestDaemon): Promise<void> {
    for (const worker of this.workers) {
      for (const session of worker.sessions) await expectWhole(worker, session, daemon.api)
      await worker.client.close()
      await expectReplay(worker, daemon)
    }
  }

  [Symbol.dispose](): void {
    clearInterval(this.#cutting)
    for (const { line } of this.workers) line.stop()
  }
}

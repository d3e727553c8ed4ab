import { type Capabilities, capabilityNames } from "@sandbox-agent/schema/agent"
import type { Applied } from "@sandbox-agent/schema/session"
import type { Driver, Native, NativeAnswer, OpenOptions, OutMessage, Settings } from "../../src/core/driver.ts"
import type { Sink } from "../../src/core/driver-sink.ts"

/** What the core asked of an agent, in order. */
export type Asked =
  | { call: "send" | "steer"; message: OutMessage }
  | { call: "interrupt" | "close" | "kill" | "stopBackground" }
  | { call: "answer"; key: string; answer: NativeAnswer }
  | { call: "configure"; settings: Partial<Settings> }

/** One opening of the puppet: what it may tell the core, and what the core asked of it. */
export interface Opening {
  readonly options: OpenOptions
  readonly sink: Sink
  readonly asked: Asked[]
}

/** How the puppet behaves where a test does not say otherwise: it does everything at once and tells nothing. */
export interface Behaviour {
  capabilities?: Partial<Capabilities>
  open?(opening: Opening): Promise<void>
  send?(message: OutMessage, opening: Opening): Promise<void>
  steer?(message: OutMessage, opening: Opening): Promise<boolean>
  interrupt?(opening: Opening): Promise<void>
  answer?(key: string, answer: NativeAnswer, opening: Opening): Promise<void>
  /** `null`: this agent has no such method. */
  configure?: ((settings: Partial<Settings>, opening: Opening) => Promise<Applied>) | null
  close?(): Promise<void>
  /** `null`: this agent has no such method. */
  stopBackground?: null
  /** Whether the agent keeps what is said; it does, unless told otherwise. */
  durable?: boolean
}

/** One that is continued keeps its id. */
const nativeIdOf = ({ from, sessionId }: OpenOptions, n: number): string =>
  from.kind === "resume" || from.kind === "adopt"
    ? (from.ref.id ?? "")
    : n === 1
      ? `native-${sessionId}`
      : `native-${sessionId}-${n}`

/** A driver without an agent: its strings are pulled by the test, its sink is the core's own. */
export class Puppet implements Driver {
  readonly takes = {}
  readonly spec = 1
  readonly agent = "puppet"
  readonly name = "Puppet"
  readonly stability = "experimental"
  readonly capabilities: Capabilities
  readonly openings: Opening[] = []
  #wake: (() => void)[] = []

  constructor(readonly behaviour: Behaviour = {}) {
    const all = Object.fromEntries(capabilityNames.map((name) => [name, true])) as Capabilities
    this.capabilities = { ...all, ...behaviour.capabilities }
  }

  get opening(): Opening {
    const last = this.openings.at(-1)
    if (last === undefined) throw new Error("the puppet was never opened")
    return last
  }

  get sink(): Sink {
    return this.opening.sink
  }

  /** Everything asked over all openings. */
  get asked(): Asked[] {
    return this.openings.flatMap((opening) => opening.asked)
  }

  /** Resolves once the core has asked this of any opening. */
  async until(call: Asked["call"], count = 1): Promise<Asked> {
    while (true) {
      const found = this.asked.filter((asked) => asked.call === call)
      if (found.length >= count) return found[count - 1] as Asked
      await new Promise<void>((resolve) => this.#wake.push(resolve))
    }
  }

  /** Resolves once it is being opened for the n-th time. */
  async opened(count: number): Promise<void> {
    while (this.openings.length < count) await new Promise<void>((resolve) => this.#wake.push(resolve))
  }

  readonly programs = {
    locate: async () => ({ installed: true, version: "1", credentials: "available" as const }),
  }

  async catalog() {
    return { modes: [{ id: "plan", name: "Plan" }], models: [{ id: "big", name: "Big", variants: ["low", "high"] }] }
  }

  async open(options: OpenOptions, sink: Sink): Promise<Native> {
    const opening: Opening = { options, sink, asked: [] }
    const woken = () => {
      for (const wake of this.#wake.splice(0)) wake()
    }
    this.openings.push(opening)
    woken()
    const { behaviour } = this
    await behaviour.open?.(opening)
    const note = (asked: Asked) => {
      opening.asked.push(asked)
      woken()
    }
    const native: Native = {
      ref: { id: nativeIdOf(options, this.openings.length), home: "/nowhere", durable: behaviour.durable ?? true },
      async send(message) {
        if (message.brief !== undefined) sink.briefed(message.id)
        note({ call: "send", message })
        await behaviour.send?.(message, opening)
      },
      async steer(message) {
        note({ call: "steer", message })
        return (await behaviour.steer?.(message, opening)) ?? true
      },
      async interrupt() {
        note({ call: "interrupt" })
        await behaviour.interrupt?.(opening)
      },
      async answer(key, answer) {
        note({ call: "answer", key, answer })
        await behaviour.answer?.(key, answer, opening)
      },
      async configure(settings) {
        note({ call: "configure", settings })
        return (await behaviour.configure?.(settings, opening)) ?? "now"
      },
      async stopBackground() {
        note({ call: "stopBackground" })
        sink.background(0)
      },
      async close() {
        note({ call: "close" })
        await behaviour.close?.()
      },
      async kill() {
        note({ call: "kill" })
      },
    }
    if (behaviour.configure === null) native.configure = undefined
    if (behaviour.stopBackground === null) native.stopBackground = undefined
    return native
  }
}

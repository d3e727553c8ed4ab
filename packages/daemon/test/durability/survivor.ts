import type { Event } from "@sandbox-agent/schema/event"
import type { Api } from "../harness/api.ts"
import { Follower } from "../streaming/follower.ts"

/** Numbers that look random and are the same in every run. */
export function seeded(seed: number): () => number {
  let state = seed
  return () => {
    // mulberry32
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** A client of one session that lives through any number of daemons: posts, answers, and reconnects where it was. */
export class Survivor {
  readonly follower: Follower
  /** Messages that were answered with 202. */
  readonly accepted = new Set<string>()
  #posted = 0

  constructor(
    readonly id: string,
    /** What it sends, round and round. */
    readonly scripts: readonly string[],
    private readonly random: () => number,
    private readonly onEvent: () => void,
  ) {
    this.follower = new Follower(id)
  }

  /** Follows the log until the daemon is gone; its own complaints about the stream go through. */
  async follow(api: Api, done: (event: Event) => boolean = () => false): Promise<void> {
    try {
      await this.follower.read(api, (text) => {
        this.onEvent()
        // Deltas are many and nobody reacts to them.
        if (text.includes('"type":"item.delta"')) return false
        const event = JSON.parse(text) as Event
        this.#answer(api, event)
        return done(event)
      })
    } catch (error) {
      if (error instanceof Error && /belongs came|^\d{3} /.test(error.message)) throw error
    }
  }

  /** Keeps a few messages in the queue until the daemon is gone. */
  async work(api: Api, count: number): Promise<void> {
    for (let i = 0; i < count; i++) {
      const n = this.#posted++
      const messageId = `${this.id}-${n}`
      const message = this.scripts[n % this.scripts.length]
      const sent = await api.call("POST", `/v1/sessions/${this.id}/messages`, { message, messageId }).catch(() => undefined)
      if (sent === undefined) return
      if (sent.status === 202) this.accepted.add(messageId)
      else throw new Error(`${sent.status} ${JSON.stringify(sent.body)}`)
    }
  }

  /** Most requests are answered, some stay open for the next kill; one found cancelled is nobody's fault. */
  #answer(api: Api, event: Event): void {
    const path = `/v1/sessions/${this.id}`
    if (event.type === "permission.requested" && this.random() < 0.7)
      quietly(api.call("POST", `${path}/permissions/${event.data.permission_id}/reply`, { reply: this.random() < 0.5 ? "once" : "reject" }))
    if (event.type === "question.requested" && this.random() < 0.7)
      quietly(api.call("POST", `${path}/questions/${event.data.question_id}/reply`, { answers: [["Red"]] }))
  }
}

function quietly(promise: Promise<unknown>): void {
  promise.catch(() => undefined)
}

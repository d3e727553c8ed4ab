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
  /** A message whose answer never came. */
  #unsure: number | undefined

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
      unlessBroken(error)
    }
  }

  /** Posts until it has posted enough or the daemon is gone. What got no answer is posted again, under the same id. */
  async work(api: Api, count: number, onTaken: () => void = () => {}): Promise<void> {
    for (let left = count; left > 0 || this.#unsure !== undefined; left--) {
      const n: number = this.#unsure ?? this.#posted++
      this.#unsure = n
      const messageId = `${this.id}-${n}`
      const message = this.scripts[n % this.scripts.length]
      const path = `/v1/sessions/${this.id}/messages`
      const sent = await api.call("POST", path, { message, messageId }).catch(() => undefined)
      if (sent === undefined) return
      if (sent.status !== 202) throw new Error(`${sent.status} ${JSON.stringify(sent.body)}`)
      this.accepted.add(messageId)
      onTaken()
      this.#unsure = undefined
    }
  }

  /** Most requests are answered, some stay open for the next kill; one found cancelled is nobody's fault. */
  #answer(api: Api, event: Event): void {
    const path = `/v1/sessions/${this.id}`
    if (event.type === "permission.requested" && this.random() < 0.7)
      quietly(
        api.call("POST", `${path}/permissions/${event.data.permission_id}/reply`, {
          reply: this.random() < 0.5 ? "once" : "reject",
        }),
      )
    if (event.type === "question.requested" && this.random() < 0.7)
      quietly(api.call("POST", `${path}/questions/${event.data.question_id}/reply`, { answers: [["Red"]] }))
  }
}

/** Lets pass that a connection broke, and nothing else. */
export function unlessBroken(error: unknown): void {
  if (error instanceof Error && /belongs came|^\d{3} /.test(error.message)) throw error
}

function quietly(promise: Promise<unknown>): void {
  promise.catch(() => undefined)
}

import { rejectQuestion, replyPermission } from "../../core/replies.ts"
import type { Session } from "../../core/session.ts"
import type { AcpBase } from "./acp.ts"
import type { Connection } from "./connection.ts"

/** What the agent is told, and the log says. */
const WHY = "no client decided it"

/** How often each connection, by its uid, has declined a request. */
type Counts = Map<number, number>

/** The open requests of one session that somebody declined. */
interface Tally {
  readonly requests: Map<string, Counts>
  timer?: Timer
}

/**
 * Who declined what: cannot answer, or decided nothing. A request is refused once all clients that read its session have
 * declined it and nobody else reads it. Who has left may come back and decide: that is given its time.
 */
export class Declined {
  readonly #tallies = new WeakMap<Session, Tally>()

  constructor(private readonly acp: Pick<AcpBase, "services" | "connections">) {}

  async by({ uid }: Connection, s: Session, id: string): Promise<void> {
    const { requests } = this.#tallyOf(s)
    forgetResolved(s, requests)
    const counts = requests.get(id) ?? new Map<number, number>()
    requests.set(id, counts.set(uid, (counts.get(uid) ?? 0) + 1))
    if (this.#isByAll(s, counts)) await this.#refuse(s, id)
  }

  #tallyOf(s: Session): Tally {
    const known = this.#tallies.get(s)
    if (known !== undefined) return known
    const tally: Tally = { requests: new Map() }
    this.#tallies.set(s, tally)
    s.log.onLeft = () => this.#left(s, tally)
    return tally
  }

  /** After the last one that left; a page that is loaded anew leaves as well. */
  #left(s: Session, tally: Tally): void {
    clearTimeout(tally.timer)
    forgetResolved(s, tally.requests)
    if (tally.requests.size > 0)
      tally.timer = setTimeout(() => this.#look(s, tally), this.acp.services.intervals.comeBackMs).unref()
    else {
      s.log.onLeft = undefined
      this.#tallies.delete(s)
    }
  }

  #look(s: Session, { requests }: Tally): void {
    const { log } = this.acp.services
    for (const [id, counts] of requests)
      if (s.requests.has(id) && this.#isByAll(s, counts))
        this.#refuse(s, id).catch((error: unknown) =>
          log("debug", "a refusal was not taken", { session: s.record.id, error: String(error) }),
        )
  }

  #isByAll(s: Session, counts: Counts): boolean {
    let waiting = 0
    for (const connection of this.acp.connections.live) {
      for (const { session } of connection.turnWaiters) if (session === s) waiting++
      if ((counts.get(connection.uid) ?? 0) < readersOf(connection, s)) return false
    }
    return s.log.readers - s.acpReaders === waiting
  }

  async #refuse(s: Session, id: string): Promise<void> {
    this.acp.services.log("info", "a request was refused: all clients declined it", { session: s.record.id, id })
    if (s.requests.get(id)?.native.type === "permission") await replyPermission(s, id, "reject", WHY)
    else await rejectQuestion(s, id, WHY)
  }
}

function forgetResolved(s: Session, requests: Tally["requests"]): void {
  for (const id of requests.keys()) if (!s.requests.has(id)) requests.delete(id)
}

/** Clients of a connection that read a session: without headers it may be that of several. */
function readersOf({ feeds, doc }: Connection, s: Session): number {
  const streams = [...feeds.values()].filter((feed) => feed.reads(s.log)).length
  return Math.min(streams, doc.dialect === "headerless" ? Math.max(1, doc.clients ?? 1) : 1)
}

import type { Session } from "../../core/session.ts"
import { offsetAfter } from "../../store/damage.ts"
import type { Page } from "../../store/log.ts"
import type { Acp } from "./acp.ts"
import { isRecord } from "./projection/envelope.ts"
import type { Traits } from "./projection/traits.ts"

/** A message of a history: the `k`-th of what stands at event `n`. */
interface Told {
  readonly n: number
  readonly k: number
  readonly json: string
}

interface ToldRun {
  readonly messages: readonly Told[]
  /** The event up to which they are. */
  readonly last: number
  /** What stands before this event is no longer there: the items of it are. */
  readonly folded: number
}

/**
 * What clients were told live of a session whose agent speaks ACP, for one that loads it: the agent's own messages, with
 * all that is in them. An item has none of that.
 */
export class ToldLog {
  constructor(
    readonly acp: Acp,
    readonly session: Session,
    readonly traits: Traits,
    /** The last event of the history. */
    readonly seq: number,
  ) {}

  /** The messages after an event, about a page of them; undefined at the end. */
  after(cursor: number): ToldRun | undefined {
    const { log } = this.session
    if (cursor + 1 < log.first) return { messages: [], last: cursor, folded: Math.min(log.first - 1, this.seq) }
    let pages: readonly Page[]
    try {
      pages = this.acp.services.reader.pages(log, cursor)
    } catch (error) {
      const folded = offsetAfter(error)
      if (folded === undefined) throw error
      return { messages: [], last: cursor, folded: Math.min(folded, this.seq) }
    }
    const end = pages.at(-1)
    if (end === undefined) return undefined
    const messages = pages.flatMap((page) => this.#of(page, cursor))
    return { messages, last: Math.min(end.first + end.count - 1, this.seq), folded: 0 }
  }

  #of(page: Page, cursor: number): Told[] {
    const { lines } = this.acp.pages.of(this.session, page, this.traits)
    return lines.flatMap(({ seq, k, json, cancels }) =>
      seq > cursor && seq <= this.seq && cancels === undefined ? [{ n: seq, k, json }] : [],
    )
  }
}

/** What is only for the moment it is said in. The settings of now are in the answer to the load. */
const ofTheMoment = new Set<unknown>(["current_mode_update", "config_option_update", "notice"])

/** A message as it stands in a history: nobody is asked again, and what only tells of that moment is left out. */
export function asHistory(json: string, message: unknown): string | undefined {
  if (!isRecord(message) || typeof message.method !== "string") return undefined
  const { method } = message
  const params = isRecord(message.params) ? message.params : {}
  // The request may have been all that was told of its call.
  if (method === "session/request_permission" && isRecord(params.toolCall)) return callOf(params, params.toolCall)
  if ("id" in message || /^(?:\$|_sandboxagent)\//.test(method)) return undefined
  const isOver = method === "session/update" && isRecord(params.update) && ofTheMoment.has(params.update.sessionUpdate)
  return isOver ? undefined : json
}

/** What a permission request says of its call, without the request. */
export function callOf({ sessionId }: Readonly<Record<string, unknown>>, toolCall: object): string {
  const update = { sessionUpdate: "tool_call_update", ...toolCall }
  return JSON.stringify({ jsonrpc: "2.0", method: "session/update", params: { sessionId, update } })
}

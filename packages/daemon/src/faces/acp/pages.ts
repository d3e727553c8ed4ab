import type { Event, EventData } from "@sandbox-agent/schema/event"
import type { Session } from "../../core/session.ts"
import { jsonOf } from "../../store/frames.ts"
import type { Page } from "../../store/log.ts"
import type { Acp } from "./acp.ts"
import { frameOf, type Line } from "./entry.ts"
import { Heads } from "./heads.ts"
import type { Envelope } from "./projection/envelope.ts"
import { isRecord } from "./projection/envelope.ts"
import type { Sources } from "./projection/sources.ts"
import { type Traits, traitsKey } from "./projection/traits.ts"
import { project } from "./projection/updates.ts"
import { sourcesOf } from "./sources.ts"
import { verbatim } from "./verbatim.ts"

const encoder = new TextEncoder()

/** An event at which prompts may be answered: each connection looks for calls of its own. */
export interface Join {
  seq: number
  pos: number
  /** The number the first answer gets. */
  k: number
  event: { type: "turn.ended"; data: EventData<"turn.ended"> } | { type: "message.updated"; data: Final }
}
type Final = EventData<"message.updated">

/** A page of a session's log as clients with the same traits see it. */
export interface Projected {
  readonly lines: readonly (Line & { seq: number })[]
  readonly joins: readonly Join[]
  /** Some lines take back a request: not for the client that answered it. */
  readonly cancels: boolean
  /** All lines as SSE frames, made once for all who get exactly these. */
  frames(): Uint8Array
}

/** Projects pages once for all clients with the same traits, as long as the page itself is kept in memory. */
export class Pages {
  readonly #cache = new WeakMap<Uint8Array, Map<string, Projected>>()
  readonly #heads: Heads

  constructor(readonly acp: Pick<Acp, "services" | "rows" | "catalogs">) {
    this.#heads = new Heads(acp.rows)
  }

  of(s: Session, page: Page, traits: Traits): Projected {
    let variants = this.#cache.get(page.bytes)
    if (variants === undefined) {
      variants = new Map()
      this.#cache.set(page.bytes, variants)
    }
    const key = traitsKey(traits)
    let projected = variants.get(key)
    if (projected === undefined) {
      projected = this.#project(s, page, traits)
      variants.set(key, projected)
    }
    return projected
  }

  #project(s: Session, page: Page, traits: Traits): Projected {
    const sources = sourcesOf(this.acp, s)
    const lines: (Line & { seq: number })[] = []
    const joins: Join[] = []
    const events = jsonOf(page.bytes, page.first).map((json) => JSON.parse(json) as Event)
    const instead = verbatim(this.acp.services.context.reader, s, page, events, traits)
    events.forEach((event, i) => {
      const seq = page.first + i
      const pos = page.pos + i
      const said = instead.get(seq)?.map((json) => ({ json }))
      const own = said ?? this.#texts(s, event, traits, sources)
      for (const [k, line] of own.entries()) lines.push({ ...line, seq, pos, k })
      if (answers(event)) joins.push({ seq, pos, k: own.length, event })
    })
    let bytes: Uint8Array | undefined
    const frames = () => {
      bytes ??= encoder.encode(lines.map(frameOf).join(""))
      return bytes
    }
    return { lines, joins, cancels: lines.some(({ cancels }) => cancels !== undefined), frames }
  }

  #texts(s: Session, event: Event, traits: Traits, sources: Sources): { json: string; cancels?: string }[] {
    const head = this.#heads.at(s.record.uid, event)
    const told = project(event.type === "agent.unparsed" ? this.#withRaw(s, event) : event, head, traits, sources)
    return told.map((envelope) => ({ json: JSON.stringify(envelope), cancels: cancelled(envelope) }))
  }

  #withRaw(s: Session, event: Event): Event {
    const { reader } = this.acp.services.context
    const [stored] = reader.texts(s.log, event.sequence - 1, 1)
    const raw = stored === undefined ? undefined : reader.rawLine(s.record.uid, stored.raw, event.sequence)
    reader.forgetRaw()
    return { ...event, raw }
  }
}

function answers(event: Event): event is Event & Join["event"] {
  if (event.type === "message.updated") return event.data.state === "failed" || event.data.state === "withdrawn"
  return event.type === "turn.ended" && event.data.message_ids.length > 0
}

function cancelled({ method, params }: Envelope): string | undefined {
  if (method !== "$/cancel_request" || !isRecord(params)) return undefined
  return String(params.requestId)
}

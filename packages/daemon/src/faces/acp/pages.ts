import { acpLimits } from "@sandbox-agent/schema/acp-limits"
import type { Event, EventType } from "@sandbox-agent/schema/event"
import { typeIn } from "../../core/event-text.ts"
import type { Session } from "../../core/session.ts"
import { frameText } from "../../store/frames.ts"
import type { Page } from "../../store/log.ts"
import { LruCache } from "../../store/lru-cache.ts"
import type { Acp } from "./acp.ts"
import { Deltas } from "./deltas.ts"
import { cursorText, FrameWriter } from "./frames.ts"
import { Heads } from "./heads.ts"
import { PassthroughChunks } from "./passthrough-chunks.ts"
import { type Join, Projected } from "./projected.ts"
import type { Envelope } from "./projection/envelope.ts"
import { isRecord } from "./projection/envelope.ts"
import type { Sources } from "./projection/sources.ts"
import { type Traits, traitsKey } from "./projection/traits.ts"
import { project } from "./projection/updates.ts"
import type { ProjectedItem } from "./replay-lines.ts"
import { sourcesOf } from "./sources.ts"
import { type Message, Verbatim } from "./verbatim.ts"

/** Events that mean nothing to any client, and answer no prompt: not even parsed. */
const silent: ReadonlySet<string> = new Set<EventType>(["session.started", "turn.started"])
/** The states in which a message answers its prompt; one that was taken is answered by its turn. */
const ANSWERED = /"state":"(failed|withdrawn)"/

/** A message of the user as the core begins it; it is told when it is whole. */
const OF_USER = /"data":\{"item":\{"item_id":"[^"]*","status":"in_progress","kind":"message","role":"user"/

/** So few deltas of a page are not worth learning how to tell them. */
const FEW = 4

/**
 * Projects pages once for all clients with the same traits, and keeps the latest: also clients that are behind the
 * end of a log, and read it from the database, are mostly there together.
 */
export class Pages {
  /** By the place in the order of all logs, which no two pages share. */
  readonly #kept = new LruCache<Projected>(acpLimits.projectedBytes, acpLimits.projectedMostBytes)
  /** Items of histories that are being sent. */
  readonly items = new LruCache<ProjectedItem>(acpLimits.projectedBytes, acpLimits.projectedMostBytes)
  readonly #heads: Heads
  #writer = new FrameWriter()
  /** What was learnt of sessions whose agents speak for themselves. */
  readonly #chunks = new WeakMap<Session, PassthroughChunks>()

  constructor(readonly acp: Pick<Acp, "services" | "rows" | "catalogs">) {
    this.#heads = new Heads(acp.rows)
  }

  of(s: Session, page: Page, traits: Traits): Projected {
    const key = `${page.pos} ${traitsKey(traits)}`
    const known = this.#kept.get(key)
    if (known !== undefined) return known
    const projected = this.#project(s, page, traits)
    this.#kept.keep(key, projected, projected.size)
    return projected
  }

  /** They can be made again. */
  forget(): void {
    this.#kept.forget()
    this.items.forget()
    this.#writer = new FrameWriter()
  }

  #project(s: Session, page: Page, traits: Traits): Projected {
    const out = this.#writer
    out.reset()
    const sources = sourcesOf(this.acp, s)
    const projectEvent = (event: Event): Message[] => {
      const head = this.#heads.at(s.record.uid, event)
      const whole = event.type === "agent.unparsed" ? this.#withRaw(s, event) : event
      return project(whole, head, traits, sources).map((envelope) => ({
        json: JSON.stringify(envelope),
        cancels: cancelled(envelope),
      }))
    }
    const { buffer, byteOffset, length } = page.bytes
    const bytes = Buffer.from(buffer, byteOffset, length)
    const verbatim = this.#verbatim(s, page, bytes, traits, sources)
    const deltas = new Deltas(bytes, projectEvent, out, FEW)
    const joins: Join[] = []
    const cancels = new Map<string, string>()
    for (let at = 0, i = 0; at < length; i++) {
      const seq = page.first + i
      const pos = page.pos + i
      const isVerbatim = verbatim?.has(seq) === true
      const next = isVerbatim ? verbatim.write(at, seq, pos, out) : deltas.write(at, seq, pos)
      if (next > 0) {
        at = next
        continue
      }
      const { json, end } = frameText(bytes, at, seq)
      // It is written in the next round, by what was learnt.
      if (!isVerbatim && deltas.learn(json, seq)) {
        i--
        continue
      }
      at = end
      if (isSilent(json)) continue
      const event = JSON.parse(json) as Event
      const messages = verbatim?.of(event, json) ?? projectEvent(event)
      for (const [k, { json: text, cancels: request }] of messages.entries()) {
        out.frame(pos, k, text)
        if (request !== undefined) cancels.set(cursorText({ pos, k }), request)
      }
      if (answers(event)) joins.push({ seq, pos, k: messages.length, event, raw: page.raws?.[i] ?? 0 })
    }
    return new Projected(page, out.bytes(), out.last, joins, cancels)
  }

  /** What an agent that speaks ACP itself said of these events. */
  #verbatim(s: Session, page: Page, bytes: Buffer, traits: Traits, sources: Sources): Verbatim | undefined {
    if (s.driver?.protocol !== "acp") return undefined
    let chunks = this.#chunks.get(s)
    if (chunks === undefined) {
      chunks = new PassthroughChunks()
      this.#chunks.set(s, chunks)
    }
    return new Verbatim({ reader: this.acp.services.reader, session: s, traits, sources }, page, bytes, chunks)
  }

  #withRaw(s: Session, event: Event): Event {
    const { reader } = this.acp.services
    const [stored] = reader.readable(s.log, event.sequence - 1, 1)
    const raw = stored === undefined ? undefined : reader.line(s.log, stored.raw, event.sequence)
    reader.forgetRaw()
    return { ...event, raw }
  }
}

function isSilent(json: string): boolean {
  const type = typeIn(json) ?? ""
  if (type === "message.updated") return !ANSWERED.test(json)
  return silent.has(type) || (type === "item.started" && OF_USER.test(json))
}

function answers(event: Event): event is Event & Join["event"] {
  if (event.type === "message.updated") return event.data.state === "failed" || event.data.state === "withdrawn"
  return event.type === "turn.ended" && event.data.message_ids.length > 0
}

function cancelled({ method, params }: Envelope): string | undefined {
  if (method !== "$/cancel_request" || !isRecord(params)) return undefined
  return String(params.requestId)
}

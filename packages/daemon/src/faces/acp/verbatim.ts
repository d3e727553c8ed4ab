import type { Event } from "@sandbox-agent/schema/event"
import { parseOfAgent } from "@sandbox-agent/schema/json-depth"
import type { Session } from "../../core/session.ts"
import type { Page } from "../../store/log.ts"
import type { LogReader } from "../../store/reader.ts"
import type { FrameWriter } from "./frames.ts"
import type { PassthroughChunks } from "./passthrough-chunks.ts"
import { canPassThrough, passthroughRequest } from "./passthrough-requests.ts"
import { type Envelope, isRecord, notification } from "./projection/envelope.ts"
import type { Sources } from "./projection/sources.ts"
import type { Traits } from "./projection/traits.ts"
import { project } from "./projection/updates.ts"
import { optionsUpdate } from "./projection/v1/session-state.ts"
import { splice } from "./splice.ts"
import { callOf } from "./told-log.ts"

/** Events looked at before a page: those of one native line may stand in two. */
const LOOK_BACK = 32

/** For whom a page is made. */
export interface Reading {
  readonly reader: LogReader
  readonly session: Session
  readonly traits: Traits
  readonly sources: Sources
}

/** One message to a client, as text. */
export interface Message {
  json: string
  /** It takes back this request. */
  cancels?: string
}

/** One native line that is a message of the protocol. */
interface Line {
  readonly raw: string
  readonly message: Readonly<Record<string, unknown>>
  readonly params: Readonly<Record<string, unknown>>
}

/**
 * What an agent that speaks ACP itself said, to be sent in place of the projection of one page. What only the core
 * knows (docs/acp.mdx has the list) is projected, and so are lines that are no longer kept.
 */
export class Verbatim {
  /** Lines that were sent: further events of them add nothing. */
  readonly #sent = new Set<number>()

  constructor(
    readonly reading: Reading,
    readonly page: Page,
    /** Of the page. */
    readonly bytes: Buffer,
    /** What was learnt of the lines of this session. */
    readonly chunks: PassthroughChunks,
  ) {
    this.#lookBack()
  }

  /** Whether the line of an event is kept. */
  has(sequence: number): boolean {
    const { reader, session } = this.reading
    const n = this.#raw(sequence)
    return n !== 0 && (this.page.lines?.has(n) || reader.line(session.log, n, sequence) !== undefined)
  }

  /** Writes the event whose frame begins at `at`; returns where the next frame begins, -1 when the event must be parsed. */
  write(at: number, sequence: number, pos: number, out: FrameWriter): number {
    const { lines } = this.page
    const n = this.#raw(sequence)
    if (!lines?.has(n)) return -1
    const next = this.chunks.write(this.bytes, at, sequence, { lines, n, pos, sent: this.#sent.has(n) }, out)
    if (next > 0) this.#sent.add(n)
    return next
  }

  /** The line that begins with this event, with our ids in it; none where it was sent with another, undefined where it is projected. */
  of(event: Event, json: string): Message[] | undefined {
    const { reading } = this
    const { sequence } = event
    const n = this.#raw(sequence)
    const line = n === 0 ? undefined : lineOf(reading.reader.line(reading.session.log, n, sequence))
    const outcome =
      line === undefined ? withoutLine(reading, event) : outcomeOf(reading, event, line, this.#sent.has(n))
    if (outcome?.whole) this.#sent.add(n)
    const [only] = outcome?.lines ?? []
    const isText = event.type === "item.started" || event.type === "item.delta"
    if (isText && line !== undefined && only !== undefined) this.chunks.learn(json, sequence, line.raw, only.json)
    return outcome?.lines
  }

  #raw(sequence: number): number {
    return this.page.raws?.[sequence - this.page.first] ?? 0
  }

  /** Events of the first line may stand in pages before this one: then the line does. */
  #lookBack(): void {
    const { reading, page } = this
    const { reader, session } = reading
    const begins = page.raws?.find((n) => n !== 0)
    if (begins === undefined || page.lines?.has(begins)) return
    const from = Math.max(session.log.first, page.first - LOOK_BACK)
    for (const { sequence, raw, json } of reader.readable(session.log, from - 1, page.first - from)) {
      if (sequence >= page.first) break
      const line = raw === 0 ? undefined : lineOf(reader.line(session.log, raw, sequence))
      if (line === undefined) continue
      if (outcomeOf(reading, JSON.parse(json) as Event, line, this.#sent.has(raw))?.whole) this.#sent.add(raw)
    }
  }
}

interface LineOutcome {
  /** Without them the event is projected. */
  lines?: Message[]
  /** With this the line is sent: further events of it add nothing. */
  whole?: true
}

const nothing: LineOutcome = { lines: [] }
const one = (json: string): LineOutcome => ({ lines: [{ json }] })
const spoken = (envelope: Envelope): Message => ({ json: JSON.stringify(envelope) })
const said = (envelope: Envelope | undefined): LineOutcome =>
  envelope === undefined ? nothing : { lines: [spoken(envelope)] }

function outcomeOf(reading: Reading, event: Event, line: Line, sent: boolean): LineOutcome | undefined {
  if (event.type === "permission.resolved") return resolved(event.data.permission_id)
  if ("id" in line.message) return requestOf(reading, event, line)
  if (!isSaidByLine(event) || isClosedByUs(event, line)) return undefined
  if (kindOf(line) === "config_option_update") return optionsOf(reading, event, sent)
  if (!isPassed(line, reading.traits)) return undefined
  return { ...(sent ? nothing : one(withOurIds(line, reading.session))), whole: true }
}

/** Clients that still show the request remove it; what becomes of its call the agent itself reports. */
const resolved = (requestId: string): LineOutcome => ({
  lines: [{ json: JSON.stringify(notification("$/cancel_request", { requestId })), cancels: requestId }],
})

/** Whether the agent's own line says what the event says. What the core decides, or adds, is in the event alone. */
function isSaidByLine({ type, data }: Event): boolean {
  switch (type) {
    case "item.started":
    case "item.completed":
      return data.item.role !== "user"
    case "item.delta":
    case "plan.updated":
    case "usage.updated":
    case "session.updated":
    case "agent.native":
      return true
    default:
      return false
  }
}

/** A call that the agent leaves open is closed when it says something else: those words do not tell of the call. */
function isClosedByUs(event: Event, line: Line): boolean {
  if (event.type !== "item.started" && event.type !== "item.completed") return false
  return event.data.item.kind.startsWith("tool_") && !kindOf(line).startsWith("tool_call")
}

/** Updates whose meaning is ours: modes are the core's, and a message of the user stands in the log once. */
const neverPassedOn = new Set(["user_message_chunk", "current_mode_update"])

function isPassed(line: Line, { notices, compaction }: Traits): boolean {
  if (String(line.message.method).startsWith("$/")) return false
  const kind = kindOf(line)
  if (kind.startsWith("compaction_")) return compaction === true
  return !neverPassedOn.has(kind) && (kind !== "notice" || notices)
}

function kindOf({ message, params }: Line): string {
  const kind = message.method === "session/update" && isRecord(params.update) ? params.update.sessionUpdate : undefined
  return typeof kind === "string" ? kind : ""
}

/** Its options and our settings are one list to a client; where a setting changed, the projection has it. */
function optionsOf({ session, sources }: Reading, event: Event, sent: boolean): LineOutcome | undefined {
  if (event.type !== "agent.native") return { whole: true }
  return sent ? nothing : said(optionsUpdate({ sessionId: session.record.id, sources }))
}

/** A request: what is asked of a person goes under our id; what the daemon serves is nobody else's. */
function requestOf({ session: s, traits, sources }: Reading, event: Event, line: Line): LineOutcome | undefined {
  const { message, params } = line
  const passedThrough = canPassThrough(message.method, params, traits)
  switch (event.type) {
    case "item.started":
    case "item.completed":
      // The request itself describes the call it is about.
      return passedThrough ? nothing : undefined
    case "permission.requested": {
      const { by, permission_id: id } = event.data
      return one(by === undefined ? withOurIds(line, s, id) : callIn(line, s))
    }
    case "question.requested":
      if (message.method === "elicitation/create")
        return passedThrough ? one(withOurIds(line, s, event.data.question_id)) : undefined
      // Asked as a permission: as such nobody could answer it.
      return { lines: [{ json: callIn(line, s) }, ...project(event, undefined, traits, sources).map(spoken)] }
    case "agent.native":
      return s.forwardedRequests.has(event.sequence) ? one(withOurIds(line, s, event.event_id)) : nothing
    default:
      return undefined
  }
}

/** A request that nobody is asked, because a rule or the mode decides: the call it is about is sent all the same. */
const callIn = ({ params }: Line, { record }: Session): string =>
  callOf({ sessionId: record.id }, isRecord(params.toolCall) ? params.toolCall : {})

/** Events of ours in a session whose agent speaks for itself. */
function withoutLine({ session: s, traits, sources }: Reading, event: Event): LineOutcome | undefined {
  if (event.type === "permission.resolved") return resolved(event.data.permission_id)
  if (event.type === "permission.requested" || event.type === "question.requested") {
    const open = s.requests.get("permission_id" in event.data ? event.data.permission_id : event.data.question_id)
    // Its line is no longer kept, or was too long to be.
    const asked = open && passthroughRequest(open, s.record.id, traits)
    return asked && said(asked)
  }
  if (event.type !== "agent.native" || event.data.method !== "session/set_config_option") return undefined
  return said(optionsUpdate({ sessionId: s.record.id, sources }))
}

/** The line as it came, with our session id and, for a request, ours in place of the agent's. */
function withOurIds({ raw, params }: Line, { record }: Session, id?: string): string {
  const session = "sessionId" in params ? [[["params", "sessionId"], record.id] as const] : []
  return splice(raw, [...session, ...(id === undefined ? [] : [[["id"], id] as const])])
}

function lineOf(raw: string | undefined): Line | undefined {
  const message = raw === undefined ? undefined : parsed(raw)
  if (raw === undefined || !isRecord(message) || typeof message.method !== "string") return undefined
  const { params } = message
  return isRecord(params) ? { raw: oneLine(raw, message), message, params } : undefined
}

/** In a stream of events a bare CR would end the line. */
const oneLine = (raw: string, message: object): string =>
  raw.trim().includes("\r") ? JSON.stringify(message) : raw.trim()

function parsed(raw: string): unknown {
  try {
    return parseOfAgent(raw)
  } catch {
    return undefined // a line that is not the protocol has an event of its own
  }
}

import { type Event, type EventData, eventData } from "@sandbox-agent/schema/event"
import { checkItems } from "./checks-items.ts"

export interface CheckOptions {
  /** The log goes on: what is open now need not be closed. */
  open?: boolean
}

/** Every violation of SPEC §4's invariants in one session's log, in words; none for a good log. Pure. */
export function checkLog(events: readonly Event[], options: CheckOptions = {}): string[] {
  const bad: string[] = []
  checkEnvelopes(events, bad)
  checkItems(events, bad, options.open ?? false)
  new Course(bad).run(events, options.open ?? false)
  return bad
}

function checkEnvelopes(events: readonly Event[], bad: string[]): void {
  const ids = new Set<string>()
  events.forEach((event, i) => {
    const before = events[i - 1]
    const at = `#${event.sequence} ${event.type}`
    if (before !== undefined && event.sequence !== before.sequence + 1) bad.push(`${at}: gap after #${before.sequence}`)
    if (before !== undefined && event.time < before.time) bad.push(`${at}: time went back`)
    if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(event.time)) bad.push(`${at}: time is not RFC 3339`)
    if (event.synthetic !== (event.source === "daemon")) bad.push(`${at}: synthetic and source disagree`)
    if (event.session_id !== events[0]?.session_id) bad.push(`${at}: another session's event`)
    if (ids.has(event.event_id)) bad.push(`${at}: event id used twice`)
    ids.add(event.event_id)
    const parsed = eventData[event.type].safeParse(event.data)
    if (!parsed.success)
      bad.push(`${at}: data does not fit: ${parsed.error.issues[0]?.path.join(".")} ${parsed.error.issues[0]?.message}`)
  })
  if (events[0]?.sequence === 1 && events[0].type !== "session.started")
    bad.push("the log does not begin with session.started")
}

const finals = ["taken", "withdrawn", "failed"]

/** Walks the log as a client would: one turn at a time, requests, messages, status. */
class Course {
  turn: string | undefined
  status = "starting"
  readonly turns = new Set<string>()
  /** Open requests, with the turn they belong to. */
  readonly open = new Map<string, string | undefined>()
  readonly requests = new Set<string>()
  readonly messages = new Map<string, EventData<"message.updated">>()
  readonly userItems = new Set<string>()

  constructor(private readonly bad: string[]) {}

  run(events: readonly Event[], open: boolean): void {
    for (const event of events) {
      if (this.status === "ended") this.#afterEnd(event)
      this.#step(event)
    }
    if (open) return
    if (this.turn !== undefined) this.bad.push(`turn ${this.turn} never ended`)
    for (const id of this.open.keys()) this.bad.push(`request ${id} was never resolved`)
    if (this.status === "ended")
      for (const [id, { state }] of this.messages)
        if (!finals.includes(state)) this.bad.push(`message ${id} stayed ${state}`)
  }

  #step(event: Event): void {
    const at = `#${event.sequence} ${event.type}`
    switch (event.type) {
      case "session.started":
        this.status = "starting"
        return
      case "session.ended":
        if (this.turn !== undefined) this.bad.push(`${at}: while turn ${this.turn} runs`)
        if (this.open.size > 0) this.bad.push(`${at}: with open requests`)
        this.status = "ended"
        return
      case "session.updated":
        return this.#status(at, event.data.status)
      case "turn.started":
        if (this.turn !== undefined) this.bad.push(`${at}: turn ${this.turn} still runs`)
        if (this.turns.has(event.data.turn_id)) this.bad.push(`${at}: ${event.data.turn_id} started twice`)
        this.turns.add(event.data.turn_id)
        this.turn = event.data.turn_id
        this.status = "running"
        return
      case "turn.ended":
        return this.#turnEnded(at, event.data)
      case "permission.requested":
      case "question.requested":
        return this.#requested(at, idOf(event.data), event.data.turn_id)
      case "permission.resolved":
      case "question.resolved":
        if (!this.open.delete(idOf(event.data))) this.bad.push(`${at}: ${idOf(event.data)} was not open`)
        if (event.data.status === "requested") this.bad.push(`${at}: resolved without a resolution`)
        return
      case "message.updated":
        return this.#message(at, event.data)
      case "item.started": {
        const { role, message_id } = event.data.item
        if (role === "user" && message_id !== undefined) this.userItems.add(message_id)
        return
      }
      case "agent.unparsed":
      case "error":
      case "agent.native":
      case "item.delta":
      case "item.completed":
      case "plan.updated":
      case "usage.updated":
    }
  }

  #status(at: string, status: string | undefined): void {
    if (status === undefined) return
    const due = this.open.size > 0 ? "waiting" : this.turn === undefined ? "idle" : "running"
    if (status !== "starting" && status !== due) this.bad.push(`${at}: status ${status} where ${due} is due`)
    this.status = status
  }

  #requested(at: string, id: string, turn: string | undefined): void {
    if (this.requests.has(id)) this.bad.push(`${at}: ${id} requested twice`)
    if (turn !== undefined && turn !== this.turn) this.bad.push(`${at}: belongs to ${turn}, which does not run`)
    this.requests.add(id)
    this.open.set(id, turn)
  }

  #turnEnded(at: string, data: EventData<"turn.ended">): void {
    if (this.turn !== data.turn_id) this.bad.push(`${at}: ${data.turn_id} does not run`)
    this.turn = undefined
    this.status = "idle"
    for (const [id, turn] of this.open) if (turn === data.turn_id) this.bad.push(`${at}: request ${id} is still open`)
    for (const id of data.message_ids) {
      const message = this.messages.get(id)
      if (message === undefined || !finals.includes(message.state))
        this.bad.push(`${at}: lists message ${id}, which is ${message?.state}`)
    }
    for (const [id, { state, turn_id }] of this.messages)
      if (state === "taken" && turn_id === data.turn_id && !data.message_ids.includes(id))
        this.bad.push(`${at}: took message ${id} but does not list it`)
    if (data.stop_reason === "error" && data.error === undefined) this.bad.push(`${at}: error without a reason`)
  }

  #message(at: string, data: EventData<"message.updated">): void {
    const before = this.messages.get(data.message_id)
    if (before !== undefined && finals.includes(before.state))
      this.bad.push(`${at}: ${data.message_id} was ${before.state} already`)
    if (before === undefined && data.state !== "queued")
      this.bad.push(`${at}: ${data.message_id} begins as ${data.state}`)
    const shown = this.userItems.has(data.message_id)
    if ((data.state === "taken") !== shown)
      this.bad.push(`${at}: ${data.state}, user item ${shown ? "shown" : "missing"}`)
    if (data.state === "taken" && data.turn_id !== this.turn)
      this.bad.push(`${at}: taken by ${data.turn_id}, running is ${this.turn}`)
    if (data.state === "failed" && data.error === undefined) this.bad.push(`${at}: failed without a reason`)
    this.messages.set(data.message_id, data)
  }

  /** An ended session may be renamed and brought back; nothing happens in it. */
  #afterEnd(event: Event): void {
    const allowed =
      event.type === "session.started" || (event.type === "session.updated" && event.data.status === undefined)
    if (!allowed) this.bad.push(`#${event.sequence} ${event.type}: after session.ended`)
  }
}

const idOf = (data: { permission_id: string } | { question_id: string }): string =>
  "permission_id" in data ? data.permission_id : data.question_id

import type { Event } from "@sandbox-agent/schema/event"
import { faultsOf } from "../durability/invariants.ts"
import type { Api } from "../harness/api.ts"
import type { Random } from "../hostile/fuzz/grammar.ts"
import { pick } from "../hostile/fuzz/grammar.ts"
import { Follower } from "../streaming/follower.ts"

const messages = [
  "words and more words",
  "/stream 500 60",
  "/stream 40 2000",
  "/think first\n/tool Look {}",
  "/subagent",
  "/permission echo allowed",
  "/question",
  "/sleep 30",
  "/crash",
  "/garbage",
]
/** Accepted messages after which a session has lived long enough: it is looked through and another takes its place. */
const LIFE = 60
const finals = ["taken", "withdrawn", "failed"]

/** A client with one session after another, through any number of daemons. It reads its stream all the time. */
export class Resident {
  readonly faults: string[] = []
  /** Messages that were accepted, and events that were read, of all its sessions. */
  accepted = 0
  read = 0
  #session = 0
  #follower: Follower | undefined
  #taken = new Set<string>()
  #sent = 0
  /** Its session was looked through and is only to be deleted. */
  #looked = false
  /** The message whose fate is not known yet. */
  #open: string | undefined

  constructor(
    readonly name: string,
    private readonly random: Random,
  ) {}

  /** Until the daemon is gone or `over` says so. */
  async live(api: Api, over: () => boolean): Promise<void> {
    while (!over()) {
      if (this.#follower === undefined && !(await this.#begin(api))) await Bun.sleep(50)
      else if (this.#taken.size >= LIFE && this.#open === undefined) await this.finish(api)
      else await this.#turn(api)
    }
  }

  /** Its log is looked through, and the session deleted. */
  async finish(api: Api): Promise<void> {
    const follower = this.#follower
    if (follower === undefined) return
    if (!this.#looked) await this.#look(api, follower)
    this.#looked = true
    // It may have been deleted by a call whose answer was cut off.
    await patiently(api, "DELETE", `/v1/sessions/${follower.id}`, [404])
    this.read += follower.last
    this.#looked = false
    this.#follower = undefined
  }

  async #look(api: Api, follower: Follower): Promise<void> {
    await patiently(api, "POST", `/v1/sessions/${follower.id}/terminate`)
    const { lastSequence } = await api.session(follower.id)
    if (follower.last < lastSequence) await follower.read(api, () => follower.last === lastSequence)
    const log = follower.texts.map((text) => JSON.parse(text) as Event)
    const states = new Map(
      log.flatMap(({ type, data }) => (type === "message.updated" ? [[data.message_id, data.state]] : [])),
    )
    const wrong = faultsOf(log)
    for (const id of this.#taken)
      if (!finals.includes(states.get(id) ?? "")) wrong.push(`message ${id} was accepted and is ${states.get(id)}`)
    if (wrong.length > 0) this.faults.push(`${follower.id}: ${wrong.join("; ")}`)
  }

  /** A disk may be full. A session that is there already was made by a call whose answer was cut off. */
  async #begin(api: Api): Promise<boolean> {
    const id = `${this.name}-${this.#session}`
    const { status, body } = await api.call("POST", `/v1/sessions/${id}`, { agent: "mock" })
    if (status === 503 || status === 507) return false
    if (status !== 201 && status !== 409) throw new Error(`${status} ${JSON.stringify(body)}`)
    this.#session++
    this.#taken = new Set()
    this.#follower = new Follower(id)
    return true
  }

  /** One message and what comes of it. What got no answer is sent again, under the same id. */
  async #turn(api: Api): Promise<void> {
    const follower = this.#follower as Follower
    const path = `/v1/sessions/${follower.id}`
    this.#open ??= `${follower.id}-${this.#sent++}`
    const messageId = this.#open
    // By its number: sent again it has to say the same.
    const message = messages[Number(messageId.split("-").at(-1)) % messages.length]
    const { status, body } = await api.call("POST", `${path}/messages`, { message, messageId })
    if (status === 503) return Bun.sleep(50)
    if (status !== 202) throw new Error(`${messageId}: ${status} ${JSON.stringify(body)}`)
    if (!this.#taken.has(messageId)) this.accepted++
    this.#taken.add(messageId)
    await follower.read(api, (text) => this.#settles(api, path, messageId, text))
    this.#open = undefined
  }

  /** Answers what is asked; true when the message has come to its end. */
  #settles(api: Api, path: string, messageId: string, text: string): boolean {
    if (text.includes('"type":"item.delta"')) return false
    const event = JSON.parse(text) as Event
    const quietly = (sub: string, reply: object) => void api.call("POST", path + sub, reply).catch(() => undefined)
    if (event.type === "permission.requested")
      quietly(`/permissions/${event.data.permission_id}/reply`, { reply: pick(this.random, ["once", "reject"]) })
    if (event.type === "question.requested")
      quietly(`/questions/${event.data.question_id}/reply`, { answers: [["Red"]] })
    if (event.type === "turn.ended") return event.data.message_ids.includes(messageId)
    return event.type === "message.updated" && event.data.message_id === messageId && event.data.state === "failed"
  }
}

/** Until there is room on the disk. */
async function patiently(api: Api, method: string, path: string, also: readonly number[] = []): Promise<void> {
  for (;;) {
    const { status, body } = await api.call(method, path, method === "POST" ? {} : undefined)
    if (status < 300 || also.includes(status)) return
    if (status !== 503) throw new Error(`${method} ${path}: ${status} ${JSON.stringify(body)}`)
    await Bun.sleep(50)
  }
}

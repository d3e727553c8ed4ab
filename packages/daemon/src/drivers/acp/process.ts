import { headBytes } from "@sandbox-agent/schema/byte-length"
import { parseOfAgent } from "@sandbox-agent/schema/json-depth"
import { jsonHead } from "@sandbox-agent/schema/json-head"
import { limits } from "@sandbox-agent/schema/limits"
import type { Host } from "../../core/driver.ts"
import type { Exit, LineOutcome } from "../../core/driver-sink.ts"
import type { Child } from "../../core/supervisor.ts"
import { exited } from "../shared/exited.ts"
import { ignoreGone } from "../shared/ignore-gone.ts"
import { type Json, record, text } from "../shared/json.ts"
import type { Launcher } from "../shared/launcher.ts"
import { type Concerned, tellUnreadable } from "../shared/unreadable-line.ts"
import type { AcpAgent } from "./agent.ts"
import { EarlyLines } from "./early-lines.ts"
import { withExactIds } from "./exact-ids.ts"
import { LeftSessions } from "./left-sessions.ts"
import { type AskOptions, type Incoming, incomingOf, Peer, type RpcFailure, rpcCodes } from "./peer.ts"

/** Who gets what the agent says of one session. */
export interface Attached extends Concerned {
  /** Its answers go there: an agent may ask before it has answered anything. */
  joined(process: AcpProcess): void
  receive(message: Incoming): LineOutcome
}

export interface ProcessOptions {
  agent: AcpAgent
  launcher: Launcher
  owner: string
  directory: string
  host: Host
  /** The only session of this process; without one lines go to the session they name. */
  sole?: Attached
  gate?(): Promise<void> | undefined
  onExit?(exit: Exit): void
}

type Owner = Attached | undefined

/** They ask for nothing. */
const notices = ["session/update", "$/cancel_request"]

/** A running agent: its lines go to the session they belong to, and answers to whoever asked. */
export class AcpProcess {
  readonly child: Child
  /** Lines, of all sessions and of none. */
  said = 0
  readonly #peer: Peer<Owner>
  readonly #sessions = new Map<string, Attached>()
  /** Waiting for the answer that names their session. */
  readonly #opening = new Set<Attached>()
  /** Of these nobody waits for that answer any more: what names no known session may be meant for them, too. */
  readonly #givenUp = new Set<Attached>()
  readonly #early = new EarlyLines()
  readonly #left = new LeftSessions()

  constructor(private readonly options: ProcessOptions) {
    const { agent, launcher, owner, directory, host, gate } = options
    this.#peer = new Peer((line, to) => {
      to?.sink.sent(line)
      return this.child.write(line)
    })
    options.sole?.joined(this)
    this.child = host.supervisor.spawn({
      owner,
      label: agent.id,
      command: [...launcher.command],
      directory,
      env: { ...launcher.env },
      ...(gate && { gate }),
      endsWithOutput: true,
      onLine: (raw) => this.#line(raw),
      onOversize: (head, bytes) => {
        this.said++
        this.#passedOver(head, new Error(`A line of ${bytes} bytes was passed over`))
      },
      onExit: (exit) => {
        this.#peer.close(exited(agent.id, exit))
        options.onExit?.(exit)
      },
    })
  }

  ask(method: string, params: object, owner: Owner, more: Omit<AskOptions<Owner>, "owner"> = {}) {
    return this.#peer.ask(method, params, { owner: owner ?? this.options.sole, ...more })
  }

  request(method: string, params: object, owner?: Owner): Promise<Json> {
    return this.ask(method, params, owner).reply
  }

  notify(method: string, params: object, owner: Owner): Promise<void> {
    return this.#peer.notify(method, params, owner)
  }

  respond(id: NonNullable<Incoming["id"]> | null, result: unknown, owner: Owner): Promise<void> {
    return this.#peer.respond(id, result, owner)
  }

  refuse(id: NonNullable<Incoming["id"]> | null, failure: RpcFailure, owner: Owner): Promise<void> {
    return this.#peer.refuse(id, failure, owner)
  }

  /** Until it is attached, what names no known session may be meant for it. */
  async opening<T>(session: Attached, open: () => Promise<T>): Promise<T> {
    this.#opening.add(session)
    return open().finally(() => {
      this.#givenUp.delete(session)
      this.#opened(session)
    })
  }

  attach(sessionId: string, session: Attached): void {
    this.#left.delete(sessionId)
    this.#sessions.set(sessionId, session)
    this.#giveEarly(sessionId, session)
  }

  isOfAnother(sessionId: string, session: Attached): boolean {
    return (this.#sessions.get(sessionId) ?? session) !== session
  }

  hasOthers(session: Attached): boolean {
    return [...this.#sessions.values()].some((one) => one !== session)
  }

  /** What is said of it concerns nobody any more. */
  leave(session: Attached): void {
    if (this.#opening.has(session)) this.#givenUp.add(session)
    if (this.#givenUp.size > limits.hungOpenings) this.#givenUp.delete([...this.#givenUp][0] ?? session)
    for (const [id, one] of this.#sessions) if (one === session) this.disown(id)
    this.#opened(session)
  }

  /** Nobody has this session. */
  disown(sessionId: string): void {
    this.#sessions.delete(sessionId)
    this.#left.add(sessionId)
  }

  #opened(session: Attached): void {
    this.#opening.delete(session)
    if (this.#opening.size === 0) this.#early.clear()
  }

  #line(raw: string): void {
    this.said++
    // Nearly every line begins with a brace.
    if (raw[0] !== "{" && raw.trim() === "") return
    let message: Json
    let incoming: Incoming | undefined
    try {
      message = withExactIds(record(parseOfAgent(raw)), raw)
      incoming = incomingOf(message, this.#peer.isAwaited)
    } catch (error) {
      return this.#passedOver(raw, error)
    }
    if (incoming === undefined) return this.#answer(raw, message)
    if (incoming.id !== undefined && notices.includes(incoming.method)) incoming = this.#noticed(incoming)
    const to = this.#receiver(incoming)
    const named = text(incoming.params.sessionId)
    // A question does not overtake what was said before it.
    if (to !== undefined && named !== undefined && incoming.id !== undefined) this.#giveEarly(named, to)
    if (to !== undefined) return this.#give(to, raw, incoming)
    // What concerns the agent itself goes to every session it has.
    if (named === undefined && incoming.id === undefined && this.#sessions.size > 0) return this.#giveAll(raw, incoming)
    const mayCome = named !== undefined && this.#opening.size > 0 && !this.#left.has(named)
    const early = mayCome && incoming.id === undefined
    if (!early || !this.#early.keep(named, raw, incoming)) this.#unclaimed(incoming)
  }

  /** Sent as a request by some, who wait for an answer. */
  #noticed({ id, ...notice }: Incoming): Incoming {
    if (id !== undefined) ignoreGone(this.respond(id, {}, this.#receiver(notice)))
    return notice
  }

  #giveEarly(sessionId: string, to: Attached): void {
    for (const { raw, incoming } of this.#early.take(sessionId)) this.#give(to, raw, incoming)
  }

  #give(to: Attached, raw: string, incoming: Incoming): void {
    to.sink.line(raw, () => to.receive(incoming))
  }

  #giveAll(raw: string, incoming: Incoming): void {
    for (const session of new Set(this.#sessions.values())) this.#give(session, raw, incoming)
  }

  #answer(raw: string, message: Json): void {
    const to = this.#peer.ownerOf(message.id) ?? this.options.sole
    if (to === undefined) return void this.#peer.settle(message)
    to.sink.line(raw, () => void this.#peer.settle(message))
    // A session that was given up handles no lines any more; whoever asked waits all the same.
    this.#peer.settle(message)
  }

  #receiver({ params, id }: Incoming): Attached | undefined {
    const named = text(params.sessionId)
    const known = named === undefined ? undefined : this.#sessions.get(named)
    if (known !== undefined || this.options.sole !== undefined) return known ?? this.options.sole
    // Some say things of no session by name, such as that an address was opened: with one session they are of that.
    if (named === undefined && this.#opening.size === 0 && this.#sessions.size === 1)
      return this.#sessions.values().next().value
    // What only tells something can wait until it is known whose it is; a request may stand in the way of that.
    return named === undefined || id === undefined ? undefined : this.#unnamed(named)
  }

  /** The session that may turn out to have this name: of several that open at once nobody knows which. */
  #unnamed(sessionId: string): Attached | undefined {
    if (this.#left.has(sessionId)) return undefined
    const known = new Set(this.#sessions.values())
    const [only, another] = [...this.#opening, ...this.#givenUp].filter((session) => !known.has(session))
    return another === undefined ? only : undefined
  }

  /** Of a session that is gone, or of the process itself. */
  #unclaimed({ method, params, id }: Incoming): void {
    const { host, agent } = this.options
    host.log("debug", "a message for no session", { agent: agent.id, method, session: params.sessionId })
    if (id === undefined) return
    const unknown =
      params.sessionId === undefined
        ? { code: rpcCodes.methodNotFound, message: `Method not found: ${method}` }
        : { code: rpcCodes.invalidParams, message: "no such session here" }
    const answered =
      method === "elicitation/create"
        ? this.respond(id, { action: "decline" }, undefined)
        : this.refuse(id, unknown, undefined)
    answered.catch(() => undefined)
  }

  /** Too long, too deep or no message: whoever waits for an answer, on either side, is told what its beginning tells. */
  #passedOver(raw: string, error: unknown): void {
    const head = jsonHead(raw)
    const id = head.get("id")
    const named = /"sessionId": ?"([^"]+)"/.exec(headBytes(raw, limits.unparsedLineBytes))?.[1]
    const owner = (head.has("method") ? undefined : this.#peer.ownerOf(id)) ?? this.#ownerOf(named)
    if (owner !== undefined)
      owner.sink.line(raw, () => {
        throw error
      })
    // Of one by name no other gets it.
    else if (named !== undefined || !tellUnreadable(raw, error, this.#present()))
      this.options.host.log("warn", "unparsed line from an agent", { error: String(error).slice(0, 200) })
    if (id === undefined || typeof id === "boolean") return
    const failure = { code: rpcCodes.invalidRequest, message: String(error) }
    if (!head.has("method")) this.#peer.settle({ id, error: failure })
    else this.refuse(id, failure, owner).catch(() => undefined)
  }

  #ownerOf(named: string | undefined): Attached | undefined {
    const { sole } = this.options
    return named === undefined ? sole : (this.#sessions.get(named) ?? sole ?? this.#unnamed(named))
  }

  /** The agent works for those that open, too. */
  *#present(): Iterable<Concerned> {
    for (const session of this.#sessions.values()) if (!this.#opening.has(session)) yield session
    for (const { sink } of this.#opening) yield { sink, working: true }
  }
}

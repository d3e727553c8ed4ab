import { acpLimits } from "@sandbox-agent/schema/acp-limits"
import { SandboxAgentError } from "@sandbox-agent/schema/error"
import { isDeeperThan } from "@sandbox-agent/schema/json-depth"
import { jsonHead } from "@sandbox-agent/schema/json-head"
import { limits } from "@sandbox-agent/schema/limits"
import { inFlight } from "../http/in-flight.ts"
import type { Socket, SocketEnd } from "../http/socket.ts"
import { type Kind, turns } from "../http/turns.ts"
import type { Acp } from "./acp.ts"
import type { Connection } from "./connection.ts"
import { report, type Sender, takeCall, takeNotice } from "./dispatch.ts"
import type { Line } from "./entry.ts"
import { Feed } from "./feed.ts"
import { type Holder, longMessages } from "./long-messages.ts"
import { initialize } from "./methods/connection.ts"
import { noRoom } from "./no-room.ts"
import { isRecord } from "./projection/envelope.ts"
import { takeReply } from "./replies.ts"
import {
  type Answer,
  batchRefused,
  type Incoming,
  incoming,
  invalidRequest,
  isId,
  parseError,
  type RpcId,
  resultAnswer,
  thrownAnswer,
} from "./rpc.ts"
import { leave } from "./watched.ts"

/** Closed by its client, with that code or with none. */
const NORMAL_CLOSE_CODES: readonly number[] = [1000, 1005]

/** The official transport on a WebSocket: one message per text frame, both ways; `initialize` comes first. */
export class AcpSocket implements SocketEnd {
  #socket: Socket | undefined
  #feed: Feed | undefined
  #resume = () => {}
  #stalled = false
  /** What its client has not taken, as it was last counted. */
  #held = 0
  readonly #holder: Holder = {
    waiting: () => this.#socket?.getBufferedAmount() ?? 0,
    giveUp: () => {
      this.#stalled = true
      this.#resume()
    },
  }
  /** Messages are taken in the order they came; what a call sets off is not waited for. */
  #taken: Promise<void> = Promise.resolve()

  constructor(
    readonly acp: Acp,
    readonly connection: Connection,
    readonly sender: Sender,
  ) {}

  opened(socket: Socket): void {
    this.#socket = socket
  }

  received(text: string): void {
    this.#taken = this.#taken.then(() => this.#take(text)).catch((error: unknown) => report(this.acp, "socket", error))
  }

  drained(): void {
    this.#resume()
  }

  /** Ends the attachment; a client that comes back begins anew and loads its sessions. */
  closed(code: number): void {
    this.#socket = undefined
    this.#feed?.end()
    longMessages.release(this.#holder)
    this.#account()
    // One that was cut off will be back in a moment; one that said goodbye will not.
    if (NORMAL_CLOSE_CODES.includes(code)) leave(this.acp, this.connection)
    else this.acp.connections.remove(this.connection)
    this.#resume()
  }

  async #take(text: string): Promise<void> {
    const depth = limits.requestBodyDepth
    if (isDeeperThan(text, depth)) {
      const head = jsonHead(text)
      const asks = head.has("method") && isId(head.get("id"))
      return this.#send(invalidRequest(asks ? (head.get("id") as RpcId) : null, `nested deeper than ${depth} levels`))
    }
    let value: unknown
    try {
      value = JSON.parse(text)
    } catch {
      return this.#send(parseError("the frame is not JSON"))
    }
    if (Array.isArray(value)) return this.#send(batchRefused)
    if (!isRecord(value)) return this.#send(invalidRequest(null, "not an object"))
    const given = incoming(value)
    if (given.kind === "invalid") return this.#send(invalidRequest(given.id, given.why))
    if (this.#feed === undefined) return this.#begin(given)
    if (given.kind === "call" && given.method === "initialize")
      return this.#send(invalidRequest(given.id, "initialize is not allowed on an existing connection"))
    await this.#forward(given)
  }

  async #forward(given: Exclude<Incoming, { kind: "invalid" }>): Promise<void> {
    const { acp, connection, sender } = this
    const refused = noRoom(acp)
    if (refused !== undefined) return given.kind === "call" ? this.#send(thrownAnswer(given.id, refused)) : undefined
    acp.connections.touch(connection)
    if (given.kind === "call") takeCall(acp, connection, given, sender)
    else if (given.kind === "notice") void takeNotice(acp, connection, given, sender)
    else await takeReply(acp, connection, given, sender.client)
  }

  #begin(given: Incoming): void {
    if (given.kind === "reply") return
    if (given.kind !== "call" || given.method !== "initialize") {
      this.#socket?.close(1002, "First message must be initialize")
      return
    }
    if (given.id === null) {
      this.#socket?.close(1002, "Initialize request must include an ID")
      return
    }
    try {
      const { agent, traits, result } = initialize(this.acp, given.params, this.sender.agent)
      const { connection } = this
      connection.doc = { ...connection.doc, agent, traits }
      this.acp.connections.touch(connection)
      this.#send(resultAnswer(given.id, result))
      this.#feed = new Feed(this.acp, connection, { kind: "all" }, { pos: connection.doc.startPos - 1, k: 0 })
      connection.feeds.set(this.#feed.key, this.#feed)
      this.#pump(this.#feed).catch((thrown: unknown) => this.#fail(thrown))
    } catch (thrown) {
      this.#send(thrownAnswer(given.id, thrown))
      this.#socket?.close(1011, "Initialize failed")
    }
  }

  /** Beside the feed, and so beside its pace: a client that takes nothing must not be answered for ever. */
  #send(answer: Answer): void {
    const socket = this.#socket
    if (socket === undefined) return
    if (socket.getBufferedAmount() > acpLimits.socketRefusedBytes) socket.close(1008, "Output stalled")
    else socket.send(JSON.stringify(answer))
  }

  /** Gives the socket no more than its client takes. While it waits it has a place in the feed and no message. */
  async #pump(feed: Feed): Promise<void> {
    const wake = () => this.#resume()
    let kind: Kind = "behind"
    while (this.#socket !== undefined && !this.#stalled) {
      if (this.#isFull()) {
        await this.#drain()
        continue
      }
      const turn = feed.hasMore() ? turns.wait(kind) : undefined
      if (turn !== undefined) await turn
      let given: { bytes: number; needs?: number } | undefined
      try {
        given = this.#give(feed)
      } finally {
        turns.gave(kind, given?.bytes)
      }
      kind = "behind"
      if (given?.needs !== undefined) await longMessages.wait(this.#holder, given.needs)
      // The client has taken what it had, and the next is not as long.
      else if (!this.#isFull()) longMessages.release(this.#holder)
      this.#account()
      if (given !== undefined) continue
      if (feed.closed) break
      const woken = this.#pause()
      feed.waiting.add(wake)
      await woken
      kind = "fresh"
    }
    feed.waiting.delete(wake)
    feed.end()
    longMessages.release(this.#holder)
    if (this.#stalled) this.#socket?.close(1008, "Output stalled")
    else this.#socket?.close(1001, "Server shutting down")
  }

  /** What it is to be given cannot be had: its client is told, and begins anew. */
  #fail(thrown: unknown): void {
    report(this.acp, "socket", thrown)
    if (SandboxAgentError.is(thrown))
      this.#socket?.close(1008, `${thrown.code}: initialize and load the sessions again`)
    else this.#socket?.close(1011, "Internal error")
  }

  /**
   * As many of the next messages as make a slice, and at least one; undefined when there is none. One that is longer
   * than a slice needs room of so many bytes first.
   */
  #give(feed: Feed): { bytes: number; needs?: number } | undefined {
    const step = feed.step()
    if (step === undefined) return undefined
    const { lines } = step
    const most = inFlight.slice
    let bytes = 0
    let count = 0
    let needs: number | undefined
    for (; count < lines.length && bytes < most && this.#socket !== undefined; count++) {
      const { json } = lines[count] as Line
      const long = json.length > limits.sliceBytes ? Buffer.byteLength(json) : 0
      if (long > 0 && !longMessages.take(this.#holder, long)) {
        needs = long
        break
      }
      this.#socket.send(json)
      bytes += json.length
    }
    if (count < lines.length) feed.back(lines[count - 1])
    return { bytes, needs }
  }

  #pause(): Promise<void> {
    return new Promise((resolve) => {
      this.#resume = resolve
    })
  }

  /** Its client has to take some of what it was given before it gets more. */
  #isFull(): boolean {
    return (this.#socket?.getBufferedAmount() ?? 0) >= Math.min(acpLimits.socketBytes, inFlight.slice)
  }

  #account(): void {
    const buffered = this.#socket?.getBufferedAmount() ?? 0
    const waiting = Math.max(0, buffered - longMessages.sizeOf(this.#holder))
    inFlight.bytes += waiting - this.#held
    this.#held = waiting
  }

  /** Waits until the client took something; one that takes nothing for too long is given up. */
  async #drain(): Promise<void> {
    const before = this.#socket?.getBufferedAmount() ?? 0
    const { seconds } = this.acp.services.stalled
    let timer: Timer | undefined
    const late = new Promise<true>((resolve) => {
      timer = setTimeout(resolve, seconds * 1_000, true)
    })
    const isLate = await Promise.race([this.#pause(), late])
    clearTimeout(timer)
    // What is refused meanwhile is added to it.
    this.#stalled ||= isLate === true && (this.#socket?.getBufferedAmount() ?? 0) >= before
    this.#account()
  }
}

import { byteLength, headBytes } from "@sandbox-agent/schema/byte-length"
import { type OpencodeLimits, opencodeLimits } from "@sandbox-agent/schema/driver-limits"
import { SandboxAgentError } from "@sandbox-agent/schema/error"
import { isDeeperThan } from "@sandbox-agent/schema/json-depth"
import { limits } from "@sandbox-agent/schema/limits"
import type { Host } from "../../core/driver.ts"
import { VersionNotSupported } from "../../core/programs.ts"
import type { ServerHooks, Shared } from "../shared/pool.ts"
import type { Client } from "./client.ts"
import { Directories } from "./directories.ts"
import { eventData } from "./event-stream.ts"
import type { Launch } from "./launch.ts"
import type { Envelope, NativeEvent } from "./native.ts"
import { startProcess } from "./process.ts"

/** A session of ours on a server. */
export interface Listener {
  /** An event of this session or of one that it started. */
  receive(raw: string, event: NativeEvent): void
  /** Some events were missed: what is so now has to be read. */
  reread(): Promise<void>
  /** What was missed may be waited for: a turn runs. */
  isWaiting(): boolean
}

/** Events that are of no session. */
const general =
  /^(server|global|plugin|catalog|reference|integration|project|file|lsp|mcp|vcs|installation|pty|tui|workspace|worktree|ide|models-dev|account|skill|command|agent|config|provider|location)\./

/** One `opencode serve` and the stream of its events, which is read once for all sessions on it. */
export class Server implements Shared {
  readonly directories: Directories
  readonly #listeners = new Map<string, Listener>()
  /** Native sessions that are sessions of ours. */
  readonly #own = new Set<string>()
  readonly #ended = new AbortController()
  readonly #connected = Promise.withResolvers<void>()
  #connection = new AbortController()
  /** Why events do not come. */
  #failure: unknown
  said = 0
  /** When bytes came last; undefined while we do not read because there is no room. */
  #heard: number | undefined

  constructor(
    readonly client: Client,
    private readonly hooks: ServerHooks,
    private readonly host: Host,
    private readonly stopProcess: () => Promise<unknown>,
    private readonly bounds: Pick<OpencodeLimits, "connectMs" | "silenceMs"> = opencodeLimits,
  ) {
    this.directories = new Directories(client)
  }

  /** Resolves when events come: nothing that is asked of the server from then on goes unheard. */
  async listen(): Promise<void> {
    const { silenceMs, connectMs } = this.bounds
    const watch = setInterval(() => {
      if (this.#heard !== undefined && performance.now() - this.#heard > silenceMs) this.#connection.abort()
    }, silenceMs / 4)
    watch.unref()
    this.#read()
      .finally(() => clearInterval(watch))
      .catch((error: unknown) =>
        this.host.log("error", "events of opencode are no longer read", { error: String(error) }),
      )
    // It listens already: its first event is a matter of moments.
    const late = Promise.withResolvers<never>()
    const timer = setTimeout(() => {
      const why = this.#failure === undefined ? "" : `: ${String(this.#failure)}`
      late.reject(new SandboxAgentError("timeout", `OpenCode sent no event within ${connectMs} ms${why}`))
    }, connectMs)
    await Promise.race([this.#connected.promise, late.promise]).finally(() => clearTimeout(timer))
  }

  /** Events of this native session go there, and those of sessions that it starts. */
  attach(id: string, listener: Listener): void {
    this.#own.add(id)
    this.#listeners.set(id, listener)
  }

  /** A sub-agent works in this session, which may be an earlier one's: its events go to whose sub-agent it is now. */
  follow(id: string, listener: Listener): void {
    if (!this.#own.has(id)) this.#listeners.set(id, listener)
  }

  detach(listener: Listener): void {
    for (const [id, one] of this.#listeners)
      if (one === listener) {
        this.#listeners.delete(id)
        this.#own.delete(id)
      }
  }

  async ask(): Promise<void> {
    await this.client.call("GET /global/health", { params: {} })
  }

  /** It is gone, or shall go. */
  end(): void {
    this.#ended.abort()
    this.#connection.abort()
    this.#connected.reject(new Error("the server ended"))
    this.#connected.promise.catch(() => undefined)
  }

  async stop(): Promise<void> {
    this.end()
    await this.stopProcess()
  }

  async #read(): Promise<void> {
    for (let failures = 0; !this.#ended.signal.aborted; failures++) {
      if (failures > 0) await Bun.sleep(reconnectDelay(failures))
      if (this.#ended.signal.aborted) return
      try {
        await this.#connect(() => {
          failures = 0
        })
      } catch (error) {
        // Its very first answer: the server is not one that we can speak to, and will not become one.
        if (this.#first && SandboxAgentError.is(error)) return this.#connected.reject(error)
        this.#failure = error
        if (!this.#ended.signal.aborted)
          this.host.log("info", "the event stream of opencode broke; reading anew", { error: String(error) })
      }
    }
  }

  async #connect(onEvent: () => void): Promise<void> {
    this.#connection = new AbortController()
    this.#heard = performance.now()
    const response = await this.client.events(this.#connection.signal)
    await assertEvents(response)
    if (response.body === null) throw new Error("the event stream has no body")
    for await (const data of eventData(response.body, this.#oversize)) {
      onEvent()
      this.said++
      await this.#take(data)
      const room = this.hooks.room()
      this.#heard = room === undefined ? performance.now() : undefined
      if (room !== undefined) await room
      this.#heard = performance.now()
    }
  }

  #first = true
  async #take(data: string): Promise<void> {
    if (isDeeperThan(data, limits.agentLineDepth))
      return this.#oversize(headBytes(data, limits.unparsedLineBytes), byteLength(data))
    const { payload } = JSON.parse(data) as Envelope
    if (payload.type === "sync" || payload.type === "server.heartbeat") return
    if (payload.type !== "server.connected") return this.#route(data, payload)
    this.#connected.resolve()
    const again = !this.#first
    this.#first = false
    // Before anything that is said from now on.
    if (again) await Promise.all([...new Set(this.#listeners.values())].map((one) => this.reread(one)))
  }

  /** What was missed may be the end of a turn: while one runs it is read until that comes through. */
  async reread(listener: Listener, failures = 0): Promise<void> {
    try {
      await listener.reread()
    } catch (error) {
      this.host.log("warn", "a session could not be read anew", { error: String(error) })
      const again = () => {
        const there = [...this.#listeners.values()].includes(listener) && !this.#ended.signal.aborted
        const wanted = there && listener.isWaiting()
        if (wanted) void this.reread(listener, failures + 1)
      }
      setTimeout(again, reconnectDelay(failures + 1)).unref()
    }
  }

  #route(data: string, payload: Envelope["payload"]): void {
    const event = payload as NativeEvent
    const { sessionID } = event.properties
    if (sessionID === undefined) {
      if (!general.test(event.type))
        this.host.log("debug", "an event of opencode belongs to no session", { type: event.type })
      return
    }
    let listener = this.#listeners.get(sessionID)
    if (listener === undefined && event.type === "session.created" && event.properties.info.parentID !== undefined) {
      listener = this.#listeners.get(event.properties.info.parentID)
      if (listener !== undefined) this.follow(sessionID, listener)
    }
    // A session that is closed by now, or somebody else's.
    listener?.receive(data, event)
  }

  readonly #oversize = (head: string, bytes: number): void => {
    const sessionID = /"sessionID":"([^"]+)"/.exec(head)?.[1]
    this.host.log("warn", "an event of opencode is too long or too deep and was passed over", { bytes, sessionID })
    // Of none by name it may be of any.
    const concerned = sessionID === undefined ? [...this.#listeners.values()] : [this.#listeners.get(sessionID)]
    for (const listener of new Set(concerned)) if (listener !== undefined) void this.reread(listener)
  }
}

export async function startServer(launch: Launch, hooks: ServerHooks, host: Host): Promise<Server> {
  let server: Server | undefined
  const { child, client } = await startProcess(launch, hooks, host, (exit) => {
    server?.end()
    hooks.lost(exit)
  })
  if (hooks.again) host.restarted()
  server = new Server(client, hooks, host, () => child.stop())
  if (!child.alive) server.end()
  host.awaits?.("the first event of its server")
  try {
    await server.listen()
    return server
  } catch (error) {
    server.end()
    await child.kill()
    throw error
  }
}

/** Milliseconds before the stream is opened again after so many failures in a row. */
export const reconnectDelay = (failures: number): number =>
  Math.min(opencodeLimits.reconnectMs * 2 ** (failures - 1), opencodeLimits.reconnectMaxMs)

/** A refusal, or the web page it has for addresses it does not know, is the last word of a server; a fault may pass. */
async function assertEvents(response: Response): Promise<void> {
  const { status, ok, headers } = response
  const type = headers.get("content-type") ?? "no type"
  if (ok && type.includes("text/event-stream")) return
  const said = (await response.text()).trim().slice(0, 200)
  const detail = `OpenCode answered /global/event with ${status} (${type})${ok || said === "" ? "" : `: ${said}`}`
  if (status >= 500) throw new Error(detail)
  if (ok || status === 404) throw new VersionNotSupported("opencode", detail)
  throw new SandboxAgentError("stream_error", detail, { agent: "opencode" })
}

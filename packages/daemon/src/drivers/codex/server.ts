import { mkdirSync } from "node:fs"
import { headBytes } from "@sandbox-agent/schema/byte-length"
import { parseOfAgent } from "@sandbox-agent/schema/json-depth"
import { jsonHead } from "@sandbox-agent/schema/json-head"
import { limits } from "@sandbox-agent/schema/limits"
import { unlessAborted } from "../../core/deadline.ts"
import type { Host } from "../../core/driver.ts"
import type { LineOutcome, LineSink } from "../../core/driver-sink.ts"
import type { Child } from "../../core/supervisor.ts"
import { exited } from "../shared/exited.ts"
import { ignoreGone } from "../shared/ignore-gone.ts"
import type { Launcher } from "../shared/launcher.ts"
import type { ServerHooks, Shared } from "../shared/pool.ts"
import { counter, ReplyTable } from "../shared/reply-table.ts"
import { type Concerned, tellUnreadable } from "../shared/unreadable-line.ts"
import { launchFlags } from "./launch.ts"
import type { ClientRequests } from "./native.gen.ts"
import type { Line, NativeModel } from "./native.ts"
import { Refused } from "./refused.ts"
import type { ServerHome } from "./server-home.ts"

export type Method = keyof ClientRequests

/** Whoever reads what concerns a thread. */
export interface Listener extends Concerned {
  receive(line: Line): LineOutcome
  /** What it threw at was a request, which is refused. */
  unread?(id: number | string): void
}

export interface RequestOptions {
  /** Of the session that asks: both lines are kept in its raw. */
  sink?: LineSink
  /** Called before the next line is read. */
  accept?(result: unknown): void
}

export interface ServerOptions {
  key: string
  launcher: Launcher
  serverHome: ServerHome
  /** Folders of skills, for all its threads. */
  skills?: string
  /** Of ours, for its log. */
  version: string
}

/** A running `codex app-server` and the threads it is asked about. */
export class Server implements Shared {
  /** By the method and, where a session asked, its sink. */
  readonly #replies = new ReplyTable<number, unknown, { method: string; sink: LineSink | undefined }>(counter(1))
  readonly #listeners = new Map<string, Listener>()
  readonly #child: Child
  #models: Promise<NativeModel[]> | undefined
  #sandbox: Promise<boolean> | undefined
  #alive = true
  said = 0

  private constructor(
    readonly options: ServerOptions,
    private readonly host: Host,
    hooks: ServerHooks,
  ) {
    const { launcher, serverHome, key } = options
    host.asAgent(() => mkdirSync(serverHome.home, { recursive: true, mode: 0o700 }))
    this.#child = host.supervisor.spawn({
      owner: `pool:codex:${key}`,
      label: "codex",
      command: [...launcher.command, ...launchFlags(serverHome)],
      directory: serverHome.home,
      env: { ...launcher.env, ...serverHome.env },
      endsWithOutput: true,
      onLine: (raw) => this.#line(raw),
      onOversize: (head, bytes) => {
        this.said++
        this.#passedOver(head, new Error(`A line of ${bytes} bytes was passed over`))
      },
      onExit: (exit) => {
        this.#alive = false
        this.#replies.close(exited("codex", exit))
        hooks.lost(exit)
      },
      gate: () => hooks.room(),
    })
  }

  static async start(options: ServerOptions, host: Host, hooks: ServerHooks): Promise<Server> {
    const server = new Server(options, host, hooks)
    try {
      await unlessAborted(server.#begin(), hooks.signal)
      return server
    } catch (error) {
      await server.#child.kill()
      throw error
    }
  }

  get alive(): boolean {
    return this.#alive
  }

  async #begin(): Promise<void> {
    const { serverHome, skills, version } = this.options
    this.host.awaits?.("its answer to initialize")
    await this.request("initialize", {
      clientInfo: { name: "sandbox-agent", title: "Sandbox Agent", version },
      capabilities: {
        experimentalApi: true,
        requestAttestation: false,
        optOutNotificationMethods: ["account/rateLimits/updated", "thread/readState/changed"],
      },
    })
    await this.#child.write('{"method":"initialized"}')
    if (serverHome.login) await this.request("account/login/start", { type: "apiKey", apiKey: serverHome.login })
    if (skills !== undefined) await this.request("skills/extraRoots/set", { extraRoots: [skills] })
  }

  listen(thread: string, listener: Listener): void {
    this.#listeners.set(thread, listener)
  }

  /** From now on another reads what this one was to read. */
  listenAs(before: Listener, now: Listener): void {
    for (const [thread, one] of this.#listeners) if (one === before) this.#listeners.set(thread, now)
  }

  /** What comes of these threads concerns nobody any more. */
  forget(listener: Listener): void {
    for (const [thread, one] of this.#listeners) if (one === listener) this.#listeners.delete(thread)
  }

  async request<M extends Method>(
    method: M,
    params: ClientRequests[M]["params"],
    { sink, accept }: RequestOptions = {},
  ): Promise<ClientRequests[M]["result"]> {
    const send = (id: number): Promise<void> => {
      const raw = JSON.stringify({ id, method, params })
      sink?.sent(raw)
      return this.#child.write(raw)
    }
    const { reply } = this.#replies.ask(send, { method, sink }, (outcome) => {
      if ("result" in outcome) accept?.(outcome.result)
    })
    return reply as Promise<ClientRequests[M]["result"]>
  }

  async respond(id: number | string, answer: { result: unknown } | { error: object }, sink?: LineSink): Promise<void> {
    const raw = JSON.stringify({ id, ...answer })
    sink?.sent(raw)
    await this.#child.write(raw)
  }

  /** All models, hidden ones too; asked once. */
  models(): Promise<NativeModel[]> {
    this.#models ??= this.#listModels().catch((error: unknown) => {
      this.#models = undefined
      throw error
    })
    return this.#models
  }

  async #listModels(): Promise<NativeModel[]> {
    const models: NativeModel[] = []
    let cursor: string | null | undefined
    do {
      const page: ClientRequests["model/list"]["result"] = await this.request("model/list", {
        includeHidden: true,
        ...(cursor && { cursor }),
      })
      models.push(...page.data)
      cursor = page.nextCursor
    } while (cursor)
    return models
  }

  /** Whether commands can be kept from writing by the system: not where user namespaces are forbidden. */
  sandboxes(): Promise<boolean> {
    const sandboxPolicy = { type: "readOnly", networkAccess: false } as const
    const probe = { command: ["true"], cwd: this.options.serverHome.home, sandboxPolicy, timeoutMs: 5_000 }
    this.#sandbox ??= this.request("command/exec", probe).then(
      ({ exitCode }) => exitCode === 0,
      () => false,
    )
    return this.#sandbox
  }

  async ask(): Promise<void> {
    await this.request("thread/loaded/list", {})
  }

  /** Ends a server that answers nobody: its sessions would wait for ever. */
  async endIfDead(): Promise<void> {
    const answered = this.ask().then(
      () => true,
      () => true,
    )
    const answers = await Promise.race([answered, Bun.sleep(limits.answerMs).then(() => false)])
    if (!answers && this.#alive) await this.#child.kill()
  }

  async stop(): Promise<void> {
    await this.#child.stop()
  }

  /** Parsed once, whoever it concerns. */
  #line(raw: string): void {
    this.said++
    const line = this.#parsed(raw)
    if (line === undefined) return
    if (line.method === undefined) return this.#reply(raw, line)
    const { threadId, thread } = line.params ?? {}
    const listener = this.#listeners.get(threadId ?? thread?.id ?? "")
    if (listener !== undefined) return listener.sink.line(raw, () => this.#give(line, listener))
    if (line.id === undefined) return this.host.log("debug", "a line of Codex for no session", { method: line.method })
    ignoreGone(this.respond(line.id, { error: { code: -32601, message: "nobody is here to answer" } }))
  }

  /** What is asked and cannot be read as that is refused: Codex would wait for ever. */
  #give(line: Line, listener: Listener): LineOutcome {
    try {
      return listener.receive(line)
    } catch (error) {
      if (line.id !== undefined) {
        listener.unread?.(line.id)
        ignoreGone(this.respond(line.id, { error: { code: -32602, message: String(error) } }, listener.sink))
      }
      throw error
    }
  }

  /** Too long or too deep to be read, or no JSON: who waits for an answer, on either side, is told what its beginning tells. */
  #passedOver(raw: string, error: unknown): void {
    const head = jsonHead(raw)
    const id = head.get("id")
    const asks = head.has("method")
    const isId = typeof id === "number" || typeof id === "string"
    const thread = /"threadId":"([^"]+)"/.exec(headBytes(raw, limits.unparsedLineBytes))?.[1]
    const sink =
      this.#listeners.get(thread ?? "")?.sink ?? (isId && !asks ? this.#replies.ownerOf(Number(id))?.sink : undefined)
    sink?.line(raw, () => {
      throw error
    })
    // Of a thread by name no other gets it.
    if (sink === undefined && (thread !== undefined || !tellUnreadable(raw, error, this.#listeners.values())))
      this.host.log("warn", "a line of Codex was passed over", { error: String(error), head: raw.slice(0, 200) })
    if (!isId) return
    const failure = { code: -32600, message: String(error) }
    if (asks) this.respond(id, { error: failure }, sink).catch(() => undefined)
    else this.#settle({ id, error: failure })
  }

  #reply(raw: string, line: Line): void {
    const sink = this.#replies.ownerOf(Number(line.id))?.sink
    if (sink === undefined) return this.#settle(line)
    sink.line(raw, () => this.#settle(line))
    // A session whose epoch has passed handles no lines any more; the answer is awaited all the same.
    this.#settle(line)
  }

  #settle({ id, result, error }: Line): void {
    const { method = "" } = this.#replies.ownerOf(Number(id)) ?? {}
    this.#replies.settle(Number(id), error === undefined ? { result } : { error: new Refused(method, error) })
  }

  #parsed(raw: string): Line | undefined {
    try {
      return parseOfAgent(raw) as Line
    } catch (error) {
      this.#passedOver(raw, error)
      return undefined
    }
  }
}

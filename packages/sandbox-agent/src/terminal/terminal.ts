import { backOff, pause } from "acp-http-client"
import { type Deferred, withResolvers } from "../deferred.ts"
import { HeadersNotSentError, isSandboxAgentError, SandboxAgentError } from "../errors.ts"
import { type Http, isPassing } from "../http/http.ts"
import { InputQueue } from "./input-queue.ts"
import { type Screen, show } from "./screen.ts"
import { type TerminalEar, type TerminalExit, TerminalLine, type TerminalSize } from "./terminal-line.ts"

/** `idle`: nobody listens. `lost`: it could not be reached any more; `exited` says why. */
export type TerminalState = "idle" | "connecting" | "open" | "reconnecting" | "exited" | "lost" | "disposed"

type DataListener = (bytes: Uint8Array<ArrayBuffer>) => void | Promise<void>

/**
 * A program with a screen, as it is seen here. Connected while somebody listens; a line that breaks is opened again, and what comes
 * first is the whole screen as it is then.
 */
export class Terminal implements Disposable {
  readonly id: string
  readonly #http: Http
  readonly #path: string
  readonly #data = new Set<DataListener>()
  readonly #resets = new Set<() => void>()
  readonly #sizes = new Set<(size: TerminalSize) => void>()
  readonly #states = new Set<(state: TerminalState) => void>()
  readonly #input: InputQueue
  readonly #stop = new AbortController()
  readonly #end: Deferred<TerminalExit>
  #size: TerminalSize
  /** Said while there was no line. */
  #wish: TerminalSize | undefined
  #state: TerminalState = "idle"
  #line: TerminalLine | undefined
  #running = false
  #wasOpen = false
  #asked = false
  /** Bytes that listeners have not done with. */
  #behind = 0

  /** @internal */
  constructor(http: Http, path: string, id: string, size: TerminalSize) {
    this.id = id
    this.#http = http
    this.#path = path
    this.#size = size
    this.#input = new InputQueue(http.limits.terminalInputBytes)
    this.#end = withResolvers()
    // Who asks is told.
    this.#end.promise.catch(() => undefined)
  }

  get cols(): number {
    return this.#size.cols
  }
  get rows(): number {
    return this.#size.rows
  }
  get state(): TerminalState {
    return this.#state
  }

  /** How its program ended. Asking for it is listening, too. Rejects when it cannot be reached any more, or was left. */
  get exited(): Promise<TerminalExit> {
    this.#asked = true
    this.#look()
    return this.#end.promise
  }

  /**
   * What its program writes: first its screen as it is now. A listener that answers with a promise is waited for: beyond
   * `limits.terminalBytes` nothing more is taken, and once it is done it gets the screen as it is then.
   */
  onData(listener: DataListener): () => void {
    // Nobody has the screen of this line: the next one begins with it.
    if (this.#data.size === 0) this.#line?.close()
    return this.#listen(this.#data, listener)
  }
  /** What was shown is over: the next bytes are the whole screen. */
  onReset(listener: () => void): () => void {
    return this.#listen(this.#resets, listener)
  }
  /** Also when another viewer changed it. */
  onResize(listener: (size: TerminalSize) => void): () => void {
    return this.#listen(this.#sizes, listener)
  }
  onState(listener: (state: TerminalState) => void): () => void {
    return this.#listen(this.#states, listener)
  }

  /** Types. While there is no line it waits, up to `limits.terminalInputBytes`: false says that it was not taken. */
  write(data: string | Uint8Array): boolean {
    if (this.#isOver || !this.#input.put(data)) return false
    this.#flush()
    return true
  }

  resize(cols: number, rows: number): void {
    if (cols === this.cols && rows === this.rows) return
    this.#size = { cols, rows }
    if (this.#line === undefined) this.#wish = this.#size
    else this.#line.resize(this.#size)
  }

  /** Shows it on a `Terminal` of xterm.js, which it takes the size of. Returns what ends it. */
  attach(screen: Screen): () => void {
    return show(this, screen)
  }

  /** Leaves it; its program goes on. */
  dispose(): void {
    if (this.#isOver) return
    this.#over("disposed")
    this.#end.reject(new SandboxAgentError("aborted", `Terminal ${this.id} was left`))
  }

  [Symbol.dispose](): void {
    this.dispose()
  }

  get #isOver(): boolean {
    return this.#state === "exited" || this.#state === "lost" || this.#state === "disposed"
  }

  #listen<T>(listeners: Set<T>, listener: T): () => void {
    listeners.add(listener)
    this.#look()
    return () => {
      listeners.delete(listener)
      this.#look()
    }
  }

  get #wanted(): boolean {
    const isHeard = this.#data.size > 0 || this.#asked
    return isHeard && this.#behind <= this.#http.limits.terminalBytes && !this.#isOver
  }

  /** Opens the line or closes it, as it is wanted. */
  #look(): void {
    if (!this.#wanted) this.#line?.close()
    else if (!this.#running && (this.#behind === 0 || this.#line !== undefined)) void this.#run()
  }

  async #run(): Promise<void> {
    this.#running = true
    const leaveLifetime = this.#http.lifetime.whenOver(() => this.dispose())
    for (let failures = 0; this.#wanted; ) {
      let broke = new SandboxAgentError("network", `Terminal ${this.id}: the connection broke`)
      try {
        this.#tell(this.#wasOpen || failures > 0 ? "reconnecting" : "connecting")
        const exit = await this.#follow()
        if (exit !== undefined) {
          this.#over("exited")
          this.#end.resolve(exit)
        }
        failures = 0
      } catch (error) {
        broke = isSandboxAgentError(error) ? error : new SandboxAgentError("network", String(error), error)
      }
      if (!this.#wanted) break
      // Its ticket came by a request, with headers: what asks for them will not let the next line through either.
      const isHopeless = broke instanceof HeadersNotSentError && !this.#wasOpen
      if (isHopeless || !isPassing(broke) || failures >= this.#http.limits.reconnectAttempts) {
        this.#over("lost")
        this.#end.reject(broke)
      } else {
        const { pauseMinMs, pauseMaxMs } = this.#http.limits
        await pause(backOff(failures++, pauseMinMs, pauseMaxMs), this.#stop.signal)
      }
    }
    leaveLifetime()
    this.#running = false
    if (!this.#isOver) this.#tell("idle")
    this.#look()
  }

  /** One line to its end. */
  async #follow(): Promise<TerminalExit | undefined> {
    const line = await TerminalLine.open(this.#http, this.#path, this.#ear(), this.#stop.signal)
    this.#line = line
    try {
      if (this.#wish !== undefined) line.resize(this.#wish)
      this.#wish = undefined
      this.#tell("open")
      this.#flush()
      this.#look()
      return await line.closed
    } finally {
      this.#line = undefined
    }
  }

  #ear(): TerminalEar {
    const reset = () => this.#each(this.#resets, (listener) => listener())
    const resized = (size: TerminalSize) => {
      if (this.#wish !== undefined) return
      this.#size = size
      this.#each(this.#sizes, (listener) => listener(size))
    }
    return {
      ready: (size) => {
        if (this.#wasOpen) reset()
        this.#wasOpen = true
        resized(size)
      },
      resized,
      resync: reset,
      data: (bytes) => this.#give(bytes),
      refused: (message) => this.#http.report(new SandboxAgentError("problem", `Terminal ${this.id}: ${message}`)),
    }
  }

  #give(bytes: Uint8Array<ArrayBuffer>): void {
    this.#each(this.#data, (listener) => {
      const work = listener(bytes)
      if (work === undefined) return
      this.#behind += bytes.length
      const done = () => {
        this.#behind -= bytes.length
        this.#look()
      }
      work.then(done, (error: unknown) => {
        done()
        this.#threw(error)
      })
    })
    this.#look()
  }

  #flush(): void {
    if (this.#line === undefined) return
    for (const piece of this.#input.take()) this.#line.send(piece)
  }

  #tell(state: TerminalState): void {
    if (this.#state === state) return
    this.#state = state
    this.#each(this.#states, (listener) => listener(state))
  }

  #over(state: "exited" | "lost" | "disposed"): void {
    this.#tell(state)
    this.#stop.abort()
    this.#line?.close()
  }

  #each<T>(listeners: Set<T>, call: (listener: T) => void): void {
    for (const listener of [...listeners]) {
      try {
        call(listener)
      } catch (error) {
        this.#threw(error)
      }
    }
  }

  #threw(error: unknown): void {
    this.#http.report(new SandboxAgentError("argument", `A listener threw: ${String(error)}`, error))
  }
}

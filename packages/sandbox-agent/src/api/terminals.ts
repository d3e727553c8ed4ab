import { segment } from "../http/address.ts"
import type { CallOptions, Http } from "../http/http.ts"
import { Terminal } from "../terminal/terminal.ts"
import type { AnswerOf, BodyOf, Process } from "../types.ts"

/** Programs with a screen. A terminal is a process: one that `processes` lists, too. */
export class Terminals {
  readonly #http: Http

  /** @internal */
  constructor(http: Http) {
    this.#http = http
  }

  /** A shell, or the program named. */
  start(request: BodyOf<"startTerminal"> = {}, options?: CallOptions): Promise<Process> {
    return this.#http.json({
      ...options,
      what: "Starting a terminal",
      method: "POST",
      path: "/v1/terminals",
      json: request,
    })
  }
  list(options?: CallOptions): Promise<AnswerOf<"listTerminals">> {
    return this.#http.json({ ...options, what: "Listing terminals", method: "GET", path: "/v1/terminals" })
  }
  get(id: string, options?: CallOptions): Promise<Process> {
    return this.#http.json({ ...options, what: `Asking for terminal ${id}`, method: "GET", path: terminal(id) })
  }
  /** Ends its program. */
  async close(id: string, options?: CallOptions): Promise<void> {
    await this.#http.head({
      ...options,
      what: `Closing terminal ${id}`,
      method: "DELETE",
      path: terminal(id),
      slow: true,
    })
  }
  resize(id: string, size: BodyOf<"resizeTerminal">, options?: CallOptions): Promise<AnswerOf<"resizeTerminal">> {
    const what = `Resizing terminal ${id}`
    return this.#http.json({ ...options, what, method: "POST", path: `${terminal(id)}/resize`, json: size })
  }
  /** A new one, to be shown: `onData`, `write`, `resize`, or `attach(xterm)`. Nothing is connected before somebody listens. */
  async open(request: BodyOf<"startTerminal"> = {}, options?: CallOptions): Promise<Terminal> {
    return this.#shown(await this.start(request, options))
  }
  /** One that is there, also one that has ended: that shows its last screen. */
  async attach(id: string, options?: CallOptions): Promise<Terminal> {
    return this.#shown(await this.get(id, options))
  }
  /** Opens this terminal once, within half a minute, for who cannot send headers. */
  ticket(id: string, options?: CallOptions): Promise<AnswerOf<"makeTerminalTicket">> {
    const what = `Asking for a ticket of terminal ${id}`
    return this.#http.json({ ...options, what, method: "POST", path: `${terminal(id)}/ticket` })
  }

  #shown({ id, cols = 80, rows = 24 }: Process): Terminal {
    return new Terminal(this.#http, terminal(id), id, { cols, rows })
  }
}

const terminal = (id: string): string => `/v1/terminals/${segment(id)}`

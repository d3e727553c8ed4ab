import { chmodSync, rmSync } from "node:fs"
import { ampLimits } from "@sandbox-agent/schema/driver-limits"
import { isDeeperThan } from "@sandbox-agent/schema/json-depth"
import { limits } from "@sandbox-agent/schema/limits"
import type { Socket } from "bun"
import type { Host } from "../../core/driver.ts"
import type { Verdict } from "./ask.ts"

interface Caller {
  key: string
  pieces: Buffer[]
  bytes: number
  /** All it has to say has been heard. */
  asked: boolean
}

export interface GateEvents {
  /** One line: what the delegate program says of a tool. */
  asked(key: string, line: string): void
  /** The program that asked is gone. */
  left(key: string): void
}

/** The socket that delegate programs of one session ask at. Its folder is open to the agent's user alone. */
export class Gate {
  readonly #callers = new Map<string, Socket<Caller>>()
  readonly #stop: () => void
  #count = 0

  constructor(
    path: string,
    private readonly events: GateEvents,
    { asAgent, log }: Pick<Host, "asAgent" | "log">,
  ) {
    const remove = () => rmSync(path, { force: true })
    const server = asAgent(() => {
      remove() // left by a daemon that was killed
      const listening = Bun.listen<Caller>({ unix: path, socket: this.#handlers(log) })
      chmodSync(path, 0o600)
      return listening
    })
    this.#stop = () => {
      server.stop(true)
      asAgent(remove)
    }
  }

  /** `false`: nobody waits for it any more. */
  answer(key: string, verdict: Verdict): boolean {
    const socket = this.#callers.get(key)
    if (socket === undefined) return false
    this.#callers.delete(key)
    socket.end(`${JSON.stringify(verdict)}\n`)
    return true
  }

  /** Whoever waits learns that nobody answers. */
  dismiss(): void {
    const waiting = [...this.#callers.values()]
    this.#callers.clear()
    for (const socket of waiting) socket.terminate()
  }

  close(): void {
    this.dismiss()
    this.#stop()
  }

  #handlers(log: Host["log"]): Bun.SocketHandler<Caller> {
    return {
      open: (socket) => {
        const key = `ask-${++this.#count}`
        socket.data = { key, pieces: [], bytes: 0, asked: false }
        this.#callers.set(key, socket)
        if (this.#callers.size > ampLimits.asks) this.#refuse(socket, "too many tools wait to be allowed")
      },
      data: (socket, bytes) => this.#hear(socket, bytes),
      close: ({ data }) => this.#left(data),
      error: (socket, error) => {
        log("debug", "a connection to the socket of permissions failed", { error: String(error) })
        this.#left(socket.data)
      },
    }
  }

  #hear(socket: Socket<Caller>, bytes: Buffer): void {
    const { data } = socket
    if (data.asked || !this.#callers.has(data.key)) return
    data.pieces.push(Buffer.from(bytes)) // the bytes are lent
    data.bytes += bytes.length
    if (data.bytes > ampLimits.askBytes) return this.#refuse(socket, "what the tool is called with is too long")
    if (bytes.at(-1) !== 0x0a) return
    data.asked = true
    const line = Buffer.concat(data.pieces.splice(0)).toString("utf8").trimEnd()
    if (isDeeperThan(line, limits.agentLineDepth))
      return this.#refuse(socket, "what the tool is called with is nested too deep")
    try {
      this.events.asked(data.key, line)
    } catch (error) {
      // Amp's log has the refusal as what the tool gave, and with it why.
      this.#refuse(
        socket,
        `what the tool is called with cannot be read: ${error instanceof Error ? error.message : error}`,
      )
    }
  }

  #refuse({ data }: Socket<Caller>, why: string): void {
    this.answer(data.key, { refuse: `The tool was not allowed: ${why}` })
  }

  #left(data: Caller): void {
    if (this.#callers.delete(data.key) && data.asked) this.events.left(data.key)
  }
}

import { timerOf } from "acp-http-client"
import { HeadersNotSentError, SandboxAgentError } from "../errors.ts"
import type { Http } from "../http/http.ts"
import type { Socket } from "../socket/socket-maker.ts"
import { Pulse } from "./pulse.ts"

export interface TerminalSize {
  cols: number
  rows: number
}

/** How the program of a terminal ended; both are null when nobody saw it. */
export interface TerminalExit {
  exitCode: number | null
  signal: string | null
}

/** What comes on a line. */
export interface TerminalEar {
  ready(size: TerminalSize): void
  data(bytes: Uint8Array<ArrayBuffer>): void
  resized(size: TerminalSize): void
  /** The next bytes are the whole screen. */
  resync(): void
  refused(message: string): void
}

type Frame = { type?: string; message?: string } & Partial<TerminalSize & TerminalExit>

/** One WebSocket to a terminal. */
export class TerminalLine {
  /** How its program ended, or undefined when only the line did. */
  readonly closed: Promise<TerminalExit | undefined>
  readonly #socket: Socket

  private constructor(socket: Socket, closed: Promise<TerminalExit | undefined>) {
    this.#socket = socket
    this.closed = closed
  }

  /** Opened by a ticket: a WebSocket of a page has no headers, and a token does not belong into an address. */
  static async open(http: Http, path: string, ear: TerminalEar, signal: AbortSignal): Promise<TerminalLine> {
    const ticketCall = { what: "Asking for a ticket", method: "POST" as const, path: `${path}/ticket`, safe: true }
    const { ticket } = await http.json<{ ticket: string }>({ ...ticketCall, signal })
    const { socket, unsent } = await http.socket(`${path}/ws?ticket=${encodeURIComponent(ticket)}`)
    socket.binaryType = "arraybuffer"
    return new Promise((resolve, reject) => {
      let exit: TerminalExit | undefined
      let isReady = false
      const fail = (kind: "network" | "timeout", how: string) => {
        const what = `Opening a terminal: ${how}`
        reject(unsent.length > 0 ? new HeadersNotSentError(what, unsent) : new SandboxAgentError(kind, what))
        socket.close()
      }
      const pulse = new Pulse(http.limits.stallMs, () => socket.send('{"type":"ping"}'))
      const late = timerOf(() => fail("timeout", "no answer in time"), http.limits.openMs)
      const onAbort = () => fail("network", "it was left")
      const closed = new Promise<TerminalExit | undefined>((done) => {
        const end = (how: string) => {
          clearTimeout(late)
          pulse.stop()
          signal.removeEventListener("abort", onAbort)
          if (!isReady) fail("network", how)
          done(exit)
        }
        socket.onclose = ({ code }) => end(`the connection was closed (${code})`)
        // Closing waits for the other end, and there is none.
        pulse.onSilence = () => {
          end("nothing came")
          socket.close()
        }
      })
      // What it says is nothing that `close` does not.
      socket.onerror = () => undefined
      socket.onmessage = ({ data }) => {
        pulse.came()
        if (data instanceof ArrayBuffer) return ear.data(new Uint8Array(data))
        const frame = JSON.parse(String(data)) as Frame
        if (frame.type === "ready") {
          clearTimeout(late)
          isReady = true
          pulse.begin()
          ear.ready(sizeOf(frame))
          resolve(new TerminalLine(socket, closed))
        } else if (frame.type === "resize") ear.resized(sizeOf(frame))
        else if (frame.type === "resync") ear.resync()
        else if (frame.type === "exit") exit = { exitCode: frame.exitCode ?? null, signal: frame.signal ?? null }
        else if (frame.type === "error") ear.refused(frame.message ?? "")
      }
      signal.addEventListener("abort", onAbort)
      // Left while headers for it were asked for.
      if (signal.aborted) onAbort()
    })
  }

  send(bytes: Uint8Array<ArrayBuffer>): void {
    this.#socket.send(bytes)
  }

  resize({ cols, rows }: TerminalSize): void {
    this.#socket.send(JSON.stringify({ type: "resize", cols, rows }))
  }

  close(): void {
    this.#socket.close(1000)
  }
}

const sizeOf = ({ cols = 80, rows = 24 }: Frame): TerminalSize => ({ cols, rows })

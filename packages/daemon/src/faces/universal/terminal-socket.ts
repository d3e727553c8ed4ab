import { SandboxAgentError } from "@sandbox-agent/schema/error"
import { TerminalSizeSchema } from "@sandbox-agent/schema/process"
import { processLimits } from "@sandbox-agent/schema/process-limits"
import type { TerminalSize } from "../../core/supervisor.ts"
import type { ManagedProcess } from "../../host/processes/process.ts"
import { bytesOf } from "../../host/processes/run.ts"
import type { Viewer, ViewerSocket } from "../../host/processes/terminal/viewer.ts"
import type { Socket, SocketEnd } from "../http/socket.ts"

/** What a viewer says. */
interface ClientMessage {
  type?: unknown
  data?: unknown
  encoding?: unknown
}

/** One viewer of a terminal on a WebSocket. */
export class TerminalSocket implements SocketEnd, ViewerSocket {
  #socket: Socket | undefined
  #viewer: Viewer | undefined

  constructor(
    private readonly process: ManagedProcess,
    /** The public client knows three kinds of frames and takes any other for a fault. */
    private readonly isPublic: boolean,
  ) {}

  static assertRoom({ terminal, record }: ManagedProcess): void {
    const limit = processLimits.viewers
    if ((terminal?.viewers ?? 0) >= limit)
      throw new SandboxAgentError("too_many_requests", `terminal ${record.id} has ${limit} viewers already`, { limit })
  }

  opened(socket: Socket): void {
    this.#socket = socket
    const { record, terminal } = this.process
    const { cols, rows } = terminal?.size ?? record
    this.#tell({ type: "ready", processId: record.id, cols, rows })
    if (terminal !== undefined) this.#viewer = terminal.attach(this)
    else void this.#showLast()
  }

  received(text: string): void {
    let said: ClientMessage
    try {
      said = JSON.parse(text) as ClientMessage
    } catch {
      return this.#refuse("the frame is not JSON")
    }
    if (said?.type === "input") return this.#input(said)
    if (said?.type === "close") return this.#socket?.close(1000)
    if (said?.type === "ping") return this.#tell({ type: "pong" })
    if (said?.type !== "resize") return this.#refuse("a frame is of type input, resize, ping or close")
    const { type: _, ...size } = said
    const parsed = TerminalSizeSchema.safeParse(size)
    if (parsed.success) this.process.terminal?.resize(parsed.data)
    else this.#refuse(`cols and rows are whole numbers up to ${processLimits.terminalSize}`)
  }

  receivedBytes(bytes: Uint8Array): void {
    this.#write(bytes.slice())
  }

  drained(): void {
    if (this.#viewer !== undefined) this.process.terminal?.drained(this.#viewer)
  }

  closed(): void {
    this.#socket = undefined
    if (this.#viewer !== undefined) this.process.terminal?.leave(this.#viewer)
  }

  send(bytes: Uint8Array): void {
    this.#socket?.send(bytes)
  }

  waiting(): number {
    return this.#socket?.getBufferedAmount() ?? 0
  }

  resized(size: TerminalSize): void {
    if (!this.isPublic) this.#tell({ type: "resize", ...size })
  }

  resync(): void {
    if (!this.isPublic) this.#tell({ type: "resync" })
  }

  ended(exitCode: number | undefined, signal: string | undefined): void {
    this.#viewer = undefined
    this.#tell({ type: "exit", exitCode: exitCode ?? null, signal: signal ?? null })
    this.#socket?.close(1000)
  }

  /** Of one that has ended: what was on its screen. */
  async #showLast(): Promise<void> {
    const { record } = this.process
    try {
      const screen = await this.process.lastScreen()
      if (screen.length > 0) this.send(screen)
    } catch (error) {
      // Whoever looks would wait for its end for ever.
      this.#refuse(`its last screen cannot be read (${String(error)})`)
    }
    this.ended(record.exitCode, record.signal)
  }

  #input({ data, encoding }: ClientMessage): void {
    if (typeof data !== "string") return this.#refuse("data is text")
    if (encoding != null && !["base64", "utf8", "text"].includes(String(encoding)))
      return this.#refuse("encoding is base64, utf8 or text")
    try {
      this.#write(bytesOf("data", data, encoding === "base64" ? "base64" : "utf8"))
    } catch (error) {
      this.#refuse(SandboxAgentError.is(error) ? error.detail : String(error))
    }
  }

  #write(bytes: Uint8Array): void {
    if (bytes.length > processLimits.terminalInputBytes) return this.#refuse("the input is too large")
    if (this.#viewer?.answers.takes(Buffer.from(bytes).toString("latin1"))) return
    // Not one after the other: the terminal keeps their order, and counts what its program has not read.
    this.process.program
      ?.write(bytes)
      .catch((error: unknown) => this.#refuse(SandboxAgentError.is(error) ? error.detail : String(error)))
  }

  #refuse(message: string): void {
    this.#tell({ type: "error", message })
  }

  #tell(frame: object): void {
    this.#socket?.send(JSON.stringify(frame))
  }
}

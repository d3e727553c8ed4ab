import { Terminal } from "@xterm/headless"
import type { TestDaemon } from "../harness/daemon.ts"

interface Frame {
  type: string
  [key: string]: unknown
}

export interface ViewerOptions {
  cols?: number
  rows?: number
  protocols?: readonly string[]
  /** In place of the token by subprotocol. */
  query?: string
  path?: string
  /** Takes everything and draws nothing: drawing megabytes costs seconds. */
  blind?: boolean
}

/** What one that draws nothing remembers of what came last. */
const TAIL = 4_096

/** Somebody who looks at a terminal: a WebSocket, and a terminal that shows what comes. */
export class TestViewer implements Disposable {
  readonly screen: Terminal
  readonly frames: Frame[] = []
  bytes = 0
  readonly opened: Promise<void>
  readonly closed: Promise<number>
  readonly #socket: WebSocket
  readonly #blind: boolean
  #tail = ""
  #listeners = new Set<() => void>()

  constructor({ url, token }: Pick<TestDaemon, "url" | "token">, id: string, options: ViewerOptions = {}) {
    const { cols = 80, rows = 24, blind = false } = options
    this.#blind = blind
    this.screen = new Terminal({ cols, rows, scrollback: 2_000, allowProposedApi: true, logLevel: "off" })
    const coded = `sandboxagent.token.${Buffer.from(token).toString("base64url")}`
    const protocols = options.protocols ?? (options.query === undefined ? [coded, "terminal"] : [])
    const path = options.path ?? `/v1/terminals/${id}/ws`
    this.#socket = new WebSocket(`${url.replace("http", "ws")}${path}${options.query ?? ""}`, [...protocols])
    this.#socket.binaryType = "arraybuffer"
    this.opened = new Promise((resolve, reject) => {
      this.#socket.addEventListener("open", () => resolve())
      this.#socket.addEventListener("error", () => reject(new Error("the viewer was refused")))
    })
    this.opened.catch(() => undefined)
    this.closed = new Promise((resolve) => this.#socket.addEventListener("close", ({ code }) => resolve(code)))
    this.#socket.addEventListener("message", ({ data }) => this.#take(data as string | ArrayBuffer))
    // As the terminals that people have do.
    this.screen.onData((answer) => this.#socket.send(JSON.stringify({ type: "input", data: answer })))
  }

  get protocol(): string {
    return this.#socket.protocol
  }

  type(data: string): void {
    this.#socket.send(JSON.stringify({ type: "input", data }))
  }

  send(frame: object | Uint8Array): void {
    this.#socket.send(frame instanceof Uint8Array ? frame : JSON.stringify(frame))
  }

  resize(cols: number, rows: number): void {
    this.screen.resize(cols, rows)
    this.send({ type: "resize", cols, rows })
  }

  close(): void {
    this.#socket.close()
  }

  [Symbol.dispose](): void {
    this.close()
  }

  /** As soon as it holds, looked at after each change. */
  async until(holds: () => boolean): Promise<void> {
    if (holds()) return
    await new Promise<void>((resolve) => {
      const look = () => {
        if (!holds()) return
        this.#listeners.delete(look)
        resolve()
      }
      this.#listeners.add(look)
    })
  }

  shows(pattern: RegExp): Promise<void> {
    return this.until(() => pattern.test(this.text()))
  }

  frame(type: string): Frame | undefined {
    return this.frames.find((one) => one.type === type)
  }

  /** What is on its screen, line by line; of one that draws nothing, what came last. */
  text(): string {
    if (this.#blind) return this.#tail
    return this.#lines()
      .map((line) => line?.translateToString(true, 0, this.screen.cols) ?? "")
      .join("\n")
  }

  /** All of its lines, those above the screen too. */
  all(): string {
    const { active } = this.screen.buffer
    return Array.from({ length: active.length }, (_, i) => active.getLine(i)?.translateToString(true)).join("\n")
  }

  /** Everything that can be seen: each cell with its colours and style, the cursor, and which of the two screens it is. */
  cells(): object {
    const { active } = this.screen.buffer
    const cell = active.getNullCell()
    const rows = this.#lines().map((line) =>
      Array.from({ length: this.screen.cols }, (_, x) => {
        const c = line?.getCell(x, cell)
        if (c === undefined) return ""
        const style = [c.isBold(), c.isDim(), c.isItalic(), c.isUnderline(), c.isInverse(), c.isInvisible()].map(Number)
        return `${c.getChars() || " "}|${c.getFgColorMode()}:${c.getFgColor()}|${c.getBgColorMode()}:${c.getBgColor()}|${style.join("")}`
      }),
    )
    return { type: active.type, x: active.cursorX, y: active.cursorY, modes: { ...this.screen.modes }, rows }
  }

  #lines() {
    const { active } = this.screen.buffer
    return Array.from({ length: this.screen.rows }, (_, y) => active.getLine(active.baseY + y))
  }

  #take(data: string | ArrayBuffer): void {
    if (typeof data === "string") {
      const frame = JSON.parse(data) as Frame
      this.frames.push(frame)
      if (frame.type === "ready") this.screen.resize(Number(frame.cols), Number(frame.rows))
      if (frame.type === "resize") this.screen.resize(Number(frame.cols), Number(frame.rows))
      this.#changed()
      return
    }
    this.bytes += data.byteLength
    if (!this.#blind) return this.screen.write(new Uint8Array(data), () => this.#changed())
    this.#tail = (this.#tail + Buffer.from(data).toString("latin1").replaceAll("\r", "")).slice(-TAIL)
    this.#changed()
  }

  #changed(): void {
    for (const look of [...this.#listeners]) look()
  }
}

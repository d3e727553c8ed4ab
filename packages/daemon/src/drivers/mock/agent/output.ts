import type { FromAgent } from "../protocol.ts"

/** Not yet taken by the pipe before producers should wait. */
const HIGH_WATER = 256 * 1024

/** Lines to stdout, gathered per tick into one write. Order is the order of calls. */
export class Output {
  private buffer = ""
  private scheduled: boolean = false
  private unwritten = 0
  private last: Promise<void> = Promise.resolve()

  line(value: FromAgent): void {
    this.raw(`${JSON.stringify(value)}\n`)
  }

  /** Text that already is whole lines. */
  raw(text: string): void {
    this.buffer += text
    if (this.scheduled) return
    this.scheduled = true
    queueMicrotask(() => void this.flush())
  }

  /** Resolves when the pipe has taken everything said so far. */
  flush(): Promise<void> {
    this.scheduled = false
    if (this.buffer === "") return this.last
    const text = this.buffer
    this.buffer = ""
    this.unwritten += text.length
    this.last = new Promise((resolve) => {
      process.stdout.write(text, () => {
        this.unwritten -= text.length
        resolve()
      })
    })
    return this.last
  }

  /** Something to wait for when the reader is behind, else nothing. */
  behind(): Promise<void> | undefined {
    return this.unwritten + this.buffer.length > HIGH_WATER ? this.flush() : undefined
  }
}

import type { Terminal } from "./terminal.ts"

interface Disposer {
  dispose(): void
}

/** What a terminal is shown on: the `Terminal` of xterm.js, or what has as much of it. */
export interface Screen {
  readonly cols: number
  readonly rows: number
  write(data: string | Uint8Array, done?: () => void): void
  resize(cols: number, rows: number): void
  onData(listener: (data: string) => void): Disposer
  onBinary(listener: (data: string) => void): Disposer
  onResize(listener: (size: { cols: number; rows: number }) => void): Disposer
}

/** Shows the terminal there, and types what is typed there. The terminal takes the size of the screen. */
export function show(terminal: Terminal, screen: Screen): () => void {
  const { cols, rows } = screen
  terminal.resize(cols, rows)
  const ends = [
    // Written and not reset: what is still to be drawn comes before.
    terminal.onReset(() => screen.write("\x1bc")),
    terminal.onResize((size) => {
      if (size.cols !== screen.cols || size.rows !== screen.rows) screen.resize(size.cols, size.rows)
    }),
    disposer(screen.onData((text) => terminal.write(text))),
    disposer(screen.onBinary((text) => terminal.write(Uint8Array.from(text, (char) => char.charCodeAt(0))))),
    disposer(screen.onResize((size) => terminal.resize(size.cols, size.rows))),
    terminal.onData((bytes) => new Promise<void>((resolve) => screen.write(bytes, resolve))),
  ]
  return () => {
    for (const end of ends) end()
  }
}

const disposer = (one: Disposer) => () => one.dispose()

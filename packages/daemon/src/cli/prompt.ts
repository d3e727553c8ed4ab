import { createInterface } from "node:readline"
import type { Prompt } from "./ask.ts"

export interface TerminalPrompt {
  readonly prompt: Prompt
  /** Ends the question that is asked, without an answer. */
  readonly dismiss: () => void
  readonly close: () => void
}

/** Asks at the terminal, on stderr, so that stdout holds the transcript alone. */
export function terminalPrompt(onInterrupt: () => void): TerminalPrompt {
  const lines = createInterface({ input: process.stdin, output: process.stderr })
  let closed = false
  let waiting: ((line: string | undefined) => void) | undefined
  lines.on("line", (line) => waiting?.(line))
  lines.on("SIGINT", onInterrupt)
  lines.on("close", () => {
    closed = true
    waiting?.(undefined)
  })
  const prompt: Prompt = (text) =>
    new Promise((resolve) => {
      if (closed) return resolve(undefined)
      waiting = (line) => {
        waiting = undefined
        resolve(line)
      }
      lines.setPrompt(text)
      lines.prompt()
    })
  const dismiss = (): void => {
    if (!waiting) return
    process.stderr.write("\n")
    waiting(undefined)
  }
  return { prompt, dismiss, close: () => lines.close() }
}

import { createInterface } from "node:readline"
import type { Prompt } from "./ask.ts"

/** Asks at the terminal, on stderr, so that stdout holds the transcript alone. */
export function terminalPrompt(onInterrupt: () => void): { prompt: Prompt; close: () => void } {
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
  return { prompt, close: () => lines.close() }
}

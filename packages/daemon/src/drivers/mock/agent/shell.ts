import { type ChildProcess, spawn } from "node:child_process"
import type { Readable } from "node:stream"
import { setTimeout as delay } from "node:timers/promises"
import { interruptible } from "./interrupt.ts"

/** Characters of output kept for the result; the deltas carry all of it. */
const KEPT = 4 * 1024 * 1024
/** How long a pipe may be silent after the command ended; something left behind may hold it open. */
const LINGER_MS = 100

export interface ShellEnd {
  code: number | null
  signal: string | null
}

/** Runs a command in a group of its own, which dies with an interrupt. `onOutput` may slow the command down. */
export async function runShell(
  command: string,
  signal: AbortSignal,
  kept: KeptOutput,
  onOutput: (text: string) => Promise<void> | undefined,
): Promise<ShellEnd> {
  signal.throwIfAborted()
  const child = spawn("sh", ["-c", command], { detached: true, stdio: ["ignore", "pipe", "pipe"] })
  // At once and not when the turn unwinds: the agent may be about to exit.
  const kill = () => killGroup(child)
  signal.addEventListener("abort", kill, { once: true })
  const exit = new Promise<ShellEnd>((resolve, reject) => {
    child.on("error", reject)
    child.on("exit", (code, signal) => resolve({ code, signal }))
  })
  const pumps = Promise.all([pump(child.stdout, kept, onOutput), pump(child.stderr, kept, onOutput)])
  // A stream cut by the kill is not a fault of the agent.
  pumps.catch(() => undefined)
  try {
    const end = await interruptible(exit, signal)
    await interruptible(Promise.race([pumps, kept.silence()]), signal)
    return end
  } finally {
    signal.removeEventListener("abort", kill)
    child.stdout.destroy()
    child.stderr.destroy()
  }
}

async function pump(
  stream: Readable,
  kept: KeptOutput,
  onOutput: (text: string) => Promise<void> | undefined,
): Promise<void> {
  stream.setEncoding("utf8")
  for await (const chunk of stream as AsyncIterable<string>) {
    kept.add(chunk)
    kept.busy += 1
    await onOutput(chunk)
    kept.busy -= 1
  }
}

/** The output so far, up to a bound. */
export class KeptOutput {
  text: string = ""
  truncated: boolean = false
  /** Chunks read from the command that our own reader has not taken. */
  busy = 0
  private chunks = 0

  add(chunk: string): void {
    const room = KEPT - this.text.length
    this.text += chunk.slice(0, room)
    this.truncated ||= chunk.length > room
    this.chunks += 1
  }

  async silence(): Promise<void> {
    for (let seen = -1; seen !== this.chunks || this.busy > 0; ) {
      seen = this.chunks
      await delay(LINGER_MS)
    }
  }
}

function killGroup(child: ChildProcess): void {
  if (child.pid === undefined) return
  try {
    process.kill(-child.pid, "SIGKILL")
  } catch {
    // Already gone.
  }
}

import { spawn } from "node:child_process"

export interface Watcher {
  /** What it was there for has ended. */
  over(): void
}

/** A line for the shell that runs when this program is killed: the input of the shell closes with it. */
export function endWithUs(command: string): Watcher {
  const script = `trap '' INT TERM HUP; read -r word || { ${command}; }`
  const watcher = spawn("sh", ["-c", script], { detached: true, stdio: ["pipe", "ignore", "ignore"] })
  // Without a shell only a crash of this program would leave something behind.
  watcher.on("error", () => undefined)
  watcher.stdin.on("error", () => undefined)
  watcher.unref()
  const input = watcher.stdin as { unref?: () => void }
  input.unref?.()
  return { over: () => watcher.stdin.end("over\n") }
}

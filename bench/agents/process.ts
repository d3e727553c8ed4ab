import { rm } from "node:fs/promises"

const running = new Set<Bun.Subprocess>()
process.on("exit", () => {
  for (const child of running) child.kill("SIGKILL")
})

/** An agent without the daemon, in a process session of its own as the daemon starts it: the kernel shares the processors out by session. */
export function startAlone(command: string[], cwd: string, env: Record<string, string>) {
  const child = Bun.spawn(command, { cwd, env, detached: true, stdin: "pipe", stdout: "pipe", stderr: "ignore" })
  running.add(child)
  void child.exited.then(() => running.delete(child))
  return child
}

export async function stopAlone(children: readonly Bun.Subprocess[], directory: string): Promise<void> {
  for (const child of children) {
    child.kill("SIGTERM")
    await child.exited
  }
  await rm(directory, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
}

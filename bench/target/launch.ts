import { mkdtemp, rm } from "node:fs/promises"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { lines } from "../client/lines.ts"

export const temporary = (): Promise<string> => mkdtemp(join(tmpdir(), "sandbox-agent-bench-"))

export async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  if (address === null || typeof address === "string") throw new Error("no port")
  return address.port
}

export interface Launched {
  pid: number
  /** The first address it printed, while it still runs. */
  address: Promise<number>
  stop(): Promise<void>
}

/** Every server that still runs: a bench that fails leaves none behind. */
const running = new Set<Bun.Subprocess>()
process.on("exit", () => {
  for (const child of running) child.kill("SIGKILL")
})

/** Starts a server; its stderr is kept and shown only when it dies before it should. */
export function launch(command: string[], env: Record<string, string>, directory: string): Launched {
  const log = join(directory, "stderr.log")
  const child = Bun.spawn(command, {
    env: { ...process.env, ...env },
    cwd: directory,
    stdout: "pipe",
    stderr: Bun.file(log),
  })
  running.add(child)
  const address = Promise.withResolvers<number>()
  address.promise.catch(() => undefined)
  void (async () => {
    for await (const line of lines(child.stdout)) {
      const port = /http:\/\/127\.0\.0\.1:(\d+)/.exec(line)?.[1]
      if (port !== undefined) address.resolve(Number(port))
    }
    const code = await child.exited
    // After a stop the folder is gone, and nobody waits for the address.
    const said = await Bun.file(log)
      .text()
      .catch(() => "")
    address.reject(new Error(`${command.join(" ")} ended with ${code}: ${said}`))
  })()
  const stop = async (): Promise<void> => {
    child.kill("SIGTERM")
    const timer = setTimeout(() => child.kill("SIGKILL"), 8_000)
    await child.exited
    clearTimeout(timer)
    running.delete(child)
    await rm(directory, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
  }
  return { pid: child.pid, address: address.promise, stop }
}

/** Waits until the server answers its health. */
export async function healthy(port: number): Promise<void> {
  for (let i = 0; i < 2_000; i++) {
    const answer = await fetch(`http://127.0.0.1:${port}/v1/health`).catch(() => undefined)
    if (answer?.ok) return
    await Bun.sleep(5)
  }
  throw new Error(`nothing healthy on port ${port}`)
}

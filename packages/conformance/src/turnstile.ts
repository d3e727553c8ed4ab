import { rmSync } from "node:fs"
import { connect, createServer, type Socket } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"

/** Where the workers of a run find their turnstile. */
export const turnstileVariable = "TEST_TURNSTILE"

export interface Turnstile {
  readonly path: string
  close(): Promise<void>
}

/**
 * Lets so many in at a time, of all processes that come, in the order they came. Whoever is in has a connection: its end,
 * that of its process included, lets the next one in.
 */
export async function openTurnstile(places: number): Promise<Turnstile> {
  const path = join(tmpdir(), `sandbox-agent-turnstile-${process.pid}-${crypto.randomUUID().slice(0, 8)}`)
  const inside = new Set<Socket>()
  const waiting = new Set<Socket>()
  const letIn = (): void => {
    for (const next of waiting) {
      if (inside.size >= places) return
      waiting.delete(next)
      inside.add(next)
      next.write(".")
    }
  }
  const server = createServer((socket) => {
    const gone = () => {
      waiting.delete(socket)
      if (inside.delete(socket)) letIn()
    }
    // One that was killed says so with an error; its end follows.
    socket.on("error", () => socket.destroy())
    socket.on("close", gone)
    socket.resume()
    waiting.add(socket)
    letIn()
  })
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject)
    server.listen(path, resolve)
  })
  return {
    path,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        for (const socket of [...inside, ...waiting]) socket.destroy()
        rmSync(path, { force: true })
      }),
  }
}

/**
 * Does what makes a whole agent work, when it is this one's turn: sixteen of them at once on two cores, and one that needs four
 * seconds of a processor to start has them after a minute. A test that is run alone does not wait.
 */
export async function inTurn<T>(work: () => Promise<T>, path = process.env[turnstileVariable]): Promise<T> {
  if (path === undefined) return work()
  const socket = connect(path)
  try {
    await new Promise<void>((resolve, reject) => {
      socket.once("data", () => resolve())
      socket.once("error", reject)
      socket.once("close", () => reject(new Error(`the turnstile of this run is gone: ${path}`)))
    })
    return await work()
  } finally {
    socket.destroy()
  }
}

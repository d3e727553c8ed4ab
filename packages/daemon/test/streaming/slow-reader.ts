import { mkdtempSync, rmSync } from "node:fs"
import { open } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { onTestFinished } from "vitest"
import type { TestDaemon } from "../harness/daemon.ts"

/** A reader behind a named pipe: while that is full it takes nothing from its socket, and no buffer of ours hides the pace. */
export class SlowReader {
  readonly #pipe: string
  readonly #process: Bun.Subprocess

  constructor(daemon: TestDaemon, id: string) {
    const folder = mkdtempSync(join(tmpdir(), "sandbox-agent-slow-"))
    this.#pipe = join(folder, "events.sse")
    if (Bun.spawnSync(["mkfifo", this.#pipe]).exitCode !== 0) throw new Error("mkfifo failed")
    const url = `${daemon.url}/v1/sessions/${id}/events/sse`
    const token = `authorization: Bearer ${daemon.token}`
    this.#process = Bun.spawn(["curl", "-sN", "-H", token, "-o", this.#pipe, url], {
      stdio: ["ignore", "ignore", "ignore"],
    })
    onTestFinished(() => {
      this.end()
      rmSync(folder, { recursive: true })
    })
  }

  /** So many bytes at a time, with a pause after each, until there are enough or the stream has ended. */
  async read(pace: { bytes: number; pauseMs: number; until: number }): Promise<string> {
    const file = await open(this.#pipe, "r")
    const chunks: Buffer[] = []
    for (let size = 0; size < pace.until; ) {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(pace.bytes), 0, pace.bytes)
      if (bytesRead === 0) break
      chunks.push(buffer.subarray(0, bytesRead))
      size += bytesRead
      await Bun.sleep(pace.pauseMs)
    }
    // Left open until its process has ended: without it that would end now.
    void this.#process.exited.then(() => file.close())
    return Buffer.concat(chunks).toString()
  }

  end(): void {
    this.#process.kill("SIGKILL")
  }
}

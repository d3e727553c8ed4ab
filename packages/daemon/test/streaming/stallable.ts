import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, onTestFinished } from "vitest"
import type { TestDaemon } from "../harness/daemon.ts"
import { eventsInText } from "../harness/sse.ts"
import { halt } from "../supervisor/processes.ts"

const TAIL = 64 * 1024

/** A reader in a process of its own: stopped, its socket stays open and nothing is ever read from it. */
export class Stallable {
  readonly #file: string
  readonly #process: Bun.Subprocess
  /** Its exit code: 18 when the connection was cut within the answer. */
  readonly exited: Promise<number>

  /** `path`: below the session; `more`: for curl. */
  constructor(daemon: TestDaemon, id: string, path = "events/sse", more: string[] = []) {
    const folder = mkdtempSync(join(tmpdir(), "sandbox-agent-stalled-"))
    this.#file = join(folder, "events.sse")
    // Curl makes it with the first bytes.
    writeFileSync(this.#file, "")
    const url = `${daemon.url}/v1/sessions/${id}/${path}`
    const token = `authorization: Bearer ${daemon.token}`
    this.#process = Bun.spawn(["curl", "-sN", "-H", token, "-o", this.#file, ...more, url], {
      stdio: ["ignore", "ignore", "ignore"],
    })
    this.exited = this.#process.exited
    onTestFinished(() => {
      this.end()
      rmSync(folder, { recursive: true })
    })
  }

  /** Got so far. */
  get bytes(): number {
    return statSync(this.#file).size
  }

  async stall(): Promise<void> {
    await halt(this.#process.pid)
  }

  goOn(): void {
    this.#process.kill("SIGCONT")
  }

  end(): void {
    this.#process.kill("SIGKILL")
  }

  /** Ids and JSON texts of the whole events it got. */
  got(): { ids: number[]; texts: string[] } {
    return framesOf(readFileSync(this.#file, "utf8"))
  }

  /** Ids and JSON texts of what it got, once the last event is there. */
  async complete(last: number): Promise<{ ids: number[]; texts: string[] }> {
    // The last event of a turn is short; all of it, read again and again, would leave no time to those who are read.
    const end = () =>
      Bun.file(this.#file)
        .slice(Math.max(0, this.bytes - TAIL))
        .text()
    const isThere = (text: string) => text.includes(`\nid: ${last}\n`) && text.endsWith("\n\n")
    await expect.poll(async () => isThere(await end()), { message: `event ${last}` }).toBe(true)
    return this.got()
  }
}

/** Ids and JSON texts of the whole events in a text. */
export function framesOf(text: string): { ids: number[]; texts: string[] } {
  const events = eventsInText(text)
  return { ids: events.map(({ id }) => Number(id)), texts: events.map(({ data }) => data) }
}

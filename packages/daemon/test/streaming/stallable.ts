import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { onTestFinished } from "vitest"
import type { TestDaemon } from "../harness/daemon.ts"

/** A reader in a process of its own: stopped, its socket stays open and nothing is ever read from it. */
export class Stallable {
  readonly #file: string
  readonly #process: Bun.Subprocess

  constructor(daemon: TestDaemon, id: string) {
    const folder = mkdtempSync(join(tmpdir(), "sandbox-agent-stalled-"))
    this.#file = join(folder, "events.sse")
    const url = `${daemon.url}/v1/sessions/${id}/events/sse`
    this.#process = Bun.spawn(["curl", "-sN", "-H", `authorization: Bearer ${daemon.token}`, "-o", this.#file, url], {
      stdio: ["ignore", "ignore", "ignore"],
    })
    onTestFinished(() => {
      this.end()
      rmSync(folder, { recursive: true })
    })
  }

  stall(): void {
    this.#process.kill("SIGSTOP")
  }

  goOn(): void {
    this.#process.kill("SIGCONT")
  }

  end(): void {
    this.#process.kill("SIGKILL")
  }

  /** Ids and JSON texts of what it got, once the last event is there. */
  async complete(last: number): Promise<{ ids: number[]; texts: string[] }> {
    for (let left = 1_500; left > 0; left--) {
      const text = readFileSync(this.#file, "utf8")
      if (text.includes(`\nid: ${last}\n`) && text.endsWith("\n\n")) return framesOf(text)
      await Bun.sleep(20)
    }
    throw new Error(`event ${last} never came`)
  }
}

function framesOf(text: string): { ids: number[]; texts: string[] } {
  const blocks = text.split("\n\n").filter((block) => block.startsWith("id: "))
  return {
    ids: blocks.map((block) => Number(block.slice(4, block.indexOf("\n")))),
    texts: blocks.map((block) => block.slice(block.indexOf("\ndata: ") + 7)),
  }
}

import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { type DaemonOptions, scratch, startDaemon, type TestDaemon } from "../harness/daemon.ts"
import { sseEvents } from "../harness/sse.ts"
import { type Json, type Message, text, Wire } from "./wire.ts"

/** A daemon that knows an agent by its command; `entry` is what else is known of it. */
export async function startWith(
  id: string,
  command: readonly string[],
  { entry = {}, ...options }: Pick<DaemonOptions, "env" | "flags" | "intervals"> & { entry?: object } = {},
): Promise<TestDaemon> {
  const dataDir = scratch()
  const [cmd, ...args] = command
  const agents = [{ name: id, version: "1.0.0", ...entry, id, distribution: { command: { cmd, args } } }]
  writeFileSync(join(dataDir, "agents.json"), JSON.stringify({ agents }))
  return startDaemon({ dataDir, ...options })
}

/** A program of this folder. */
export const program = (name: string, ...words: string[]): string[] => [
  ...[process.execPath, "--no-env-file", join(import.meta.dirname, name)],
  ...words,
]

/** A client of the agent that keeps its lines, with the very text of every message it was sent. */
export class LinesClient {
  readonly wire: Wire
  readonly texts: string[] = []
  sessionId = ""
  #wake = new Set<() => void>()

  private constructor(
    readonly daemon: TestDaemon,
    readonly file: string,
  ) {
    this.wire = new Wire(daemon, `/v1/acp/${crypto.randomUUID()}`)
  }

  static async connect(
    daemon: TestDaemon,
    file: string,
    capabilities: Json = {},
    agent = "lines",
  ): Promise<LinesClient> {
    const client = new LinesClient(daemon, file)
    await client.wire.initialize(capabilities, agent)
    const headers = { authorization: `Bearer ${daemon.token}`, accept: "text/event-stream" }
    const response = await fetch(daemon.url + client.wire.path, { headers })
    void client.#read(response)
    return client
  }

  async begin(cwd = "/tmp"): Promise<Message> {
    const created = await this.wire.ask("session/new", { cwd, mcpServers: [] })
    this.sessionId = String(created.result?.sessionId)
    return created
  }

  prompt(scene: string): Promise<Message> {
    return this.wire.ask("session/prompt", { sessionId: this.sessionId, prompt: text(scene) })
  }

  answer(id: unknown, result: unknown) {
    return this.wire.post({ jsonrpc: "2.0", id, result })
  }

  /** The n-th message of a method, from 1. */
  async nth(method: string, n = 1): Promise<Message> {
    const found = () => this.messages.filter((message) => message.method === method)[n - 1]
    await this.until(() => found() !== undefined)
    return found() as Message
  }

  async until(condition: () => boolean): Promise<void> {
    while (!condition()) await new Promise<void>((resolve) => this.#wake.add(resolve))
  }

  /** Updates of a kind, as they came. */
  updates(kind: string): Json[] {
    const all = this.messages.map(({ params }) => (params?.update ?? {}) as Json)
    return all.filter(({ sessionUpdate }) => sessionUpdate === kind)
  }

  get messages(): Message[] {
    return this.texts.map((line) => JSON.parse(line) as Message)
  }

  /** What the agent wrote, and what it read, in order. */
  lines(direction: "<" | ">"): string[] {
    const all = readFileSync(this.file, "utf8").split("\n")
    return all.filter((line) => line.startsWith(direction)).map((line) => line.slice(1))
  }

  /** Requests and notifications as the agent wrote them, but for the session's id. */
  get written(): string[] {
    return this.lines("<")
      .filter((line) => (JSON.parse(line) as Message).method !== undefined)
      .map((line) => line.replace('"native-1"', JSON.stringify(this.sessionId)))
  }

  async #read(response: Response): Promise<void> {
    try {
      for await (const { data } of sseEvents(response)) {
        this.texts.push(data)
        for (const wake of [...this.#wake]) wake()
        this.#wake.clear()
      }
    } catch {
      // The daemon has gone: what was told until then is what counts.
    }
  }
}

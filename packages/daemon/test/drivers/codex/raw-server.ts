import type { Subprocess } from "bun"

interface Answer {
  id?: number
  method?: string
  params?: { threadId?: string }
  result?: unknown
  error?: { message: string }
}

/** Codex as another program on this machine uses it. */
export class RawServer implements AsyncDisposable {
  readonly #waiting = new Map<number, (answer: Answer) => void>()
  #completed = new Map<string, () => void>()
  #last = 0

  private constructor(private readonly child: Subprocess<"pipe", "pipe", "ignore">) {
    void this.#read()
  }

  static async start(program: string, home: string): Promise<RawServer> {
    const env = { PATH: process.env.PATH ?? "", HOME: home, CODEX_HOME: home }
    const io = { stdin: "pipe", stdout: "pipe", stderr: "ignore" } as const
    const server = new RawServer(Bun.spawn([program, "app-server"], { env, ...io }))
    await server.call("initialize", {
      clientInfo: { name: "other", version: "0" },
      capabilities: { experimentalApi: true },
    })
    return server
  }

  call(method: string, params: object): Promise<Answer> {
    const id = ++this.#last
    const answered = new Promise<Answer>((resolve) => this.#waiting.set(id, resolve))
    this.child.stdin.write(`${JSON.stringify({ id, method, params })}\n`)
    this.child.stdin.flush()
    return answered
  }

  async turn(threadId: string, text: string): Promise<void> {
    const completed = new Promise<void>((resolve) => this.#completed.set(threadId, resolve))
    await this.call("turn/start", { threadId, input: [{ type: "text", text }] })
    await completed
  }

  async #read(): Promise<void> {
    const decoder = new TextDecoder()
    let text = ""
    for await (const chunk of this.child.stdout) {
      const lines = (text + decoder.decode(chunk, { stream: true })).split("\n")
      text = lines.pop() ?? ""
      for (const line of lines) this.#take(JSON.parse(line) as Answer)
    }
  }

  #take(line: Answer): void {
    if (line.method === "turn/completed") this.#completed.get(line.params?.threadId ?? "")?.()
    if (line.method === undefined) this.#waiting.get(line.id ?? 0)?.(line)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.child.kill()
    await this.child.exited
  }
}

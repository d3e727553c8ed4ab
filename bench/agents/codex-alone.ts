import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { launchFlags } from "../../packages/daemon/src/drivers/codex/launch.ts"
import { nativeVariables } from "../../packages/daemon/src/registry/variables.ts"
import { environmentOf } from "../../packages/daemon/src/supervisor/environment.ts"
import { lines } from "../client/lines.ts"
import { temporary } from "../target/launch.ts"
import type { Answered, Arm } from "./arm.ts"
import { startAlone, stopAlone } from "./process.ts"
import { workspace } from "./workspace.ts"

type Message = { id?: number; method?: string; result?: { thread?: { id: string } }; params?: { threadId?: string } }

/** One `codex app-server`, spoken to by the least there is: what concerns a thread goes to whoever waits for it. */
class Server {
  readonly child
  readonly ready: Promise<unknown>
  readonly #answers = new Map<number, (message: Message) => void>()
  readonly #threads = new Map<string, (method: string) => void>()
  #ids = 0

  constructor(program: string, directory: string, env: Record<string, string>) {
    this.child = startAlone([program, ...launchFlags({})], directory, env)
    void this.#read()
    const clientInfo = { name: "bench", title: "Bench", version: "0" }
    this.ready = this.request("initialize", { clientInfo, capabilities: { experimentalApi: true } })
  }

  request(method: string, params: object): Promise<Message> {
    const id = ++this.#ids
    const { promise, resolve } = Promise.withResolvers<Message>()
    this.#answers.set(id, resolve)
    this.child.stdin.write(`${JSON.stringify({ id, method, params })}\n`)
    void this.child.stdin.flush()
    return promise
  }

  follow(thread: string, tell: (method: string) => void): void {
    this.#threads.set(thread, tell)
  }

  async #read(): Promise<void> {
    for await (const line of lines(this.child.stdout)) {
      const message: Message = JSON.parse(line)
      if (message.method === undefined) this.#answers.get(message.id ?? 0)?.(message)
      else this.#threads.get(message.params?.threadId ?? "")?.(message.method)
    }
  }
}

/** Codex with the flags and the environment the daemon gives it: one server for all sessions, or one for each. */
export async function codexAlone(
  program: string,
  given: (home: string) => Record<string, string>,
  how: "shared" | "apart",
): Promise<Arm> {
  const directory = await temporary()
  const servers: Server[] = []
  const start = (name: string): Server => {
    const home = join(directory, `home-${name}`)
    mkdirSync(home)
    const server = new Server(program, home, environmentOf(nativeVariables("codex"), given(home)))
    servers.push(server)
    return server
  }
  const serverFor = (name: string): Server => (how === "apart" ? start(name) : (servers[0] ?? start("all")))
  return {
    pids: () => servers.map(({ child }) => child.pid),
    async answer(name) {
      const asked = performance.now()
      const server = serverFor(name)
      await server.ready
      return drive(server, workspace(directory, name), asked)
    },
    stop: () =>
      stopAlone(
        servers.map(({ child }) => child),
        directory,
      ),
  }
}

async function drive(server: Server, cwd: string, asked: number): Promise<Answered> {
  const since = (): number => performance.now() - asked
  const { result } = await server.request("thread/start", {
    cwd,
    approvalPolicy: "untrusted",
    sandbox: "danger-full-access",
    experimentalRawEvents: true,
  })
  const threadId = result?.thread?.id
  if (threadId === undefined) throw new Error("Codex made no thread")
  const said: Answered = { ready: since(), first: Number.NaN, last: Number.NaN, deltas: 0 }
  const done = Promise.withResolvers<void>()
  server.follow(threadId, (method) => {
    if (method === "item/agentMessage/delta") {
      said.last = since()
      if (said.deltas++ === 0) said.first = said.last
    } else if (method === "turn/completed") done.resolve()
  })
  await server.request("turn/start", { threadId, input: [{ type: "text", text: "hello" }] })
  await done.promise
  return said
}

import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { SseParser } from "acp-http-client/sse"
import { nativeVariables } from "../../packages/daemon/src/registry/variables.ts"
import { environmentOf } from "../../packages/daemon/src/supervisor/environment.ts"
import { lines } from "../client/lines.ts"
import { freePort, temporary } from "../target/launch.ts"
import type { Answered, Arm } from "./arm.ts"
import { startAlone, stopAlone } from "./process.ts"
import { workspace } from "./workspace.ts"

interface Event {
  payload?: { type: string; properties?: { sessionID?: string } }
}

/** One `opencode serve`, spoken to by the least there is: what concerns a session goes to whoever waits for it. */
class Server {
  readonly child
  readonly #url: Promise<string>
  readonly #sessions = new Map<string, (type: string) => void>()

  constructor(program: string, directory: string, env: Record<string, string>, port: number) {
    this.child = startAlone([program, "serve", "--port", String(port)], directory, env)
    this.#url = this.#listening()
  }

  async post<T>(path: string, directory: string, body: object): Promise<T> {
    const headers = { "content-type": "application/json", "x-opencode-directory": encodeURIComponent(directory) }
    const url = await this.#url
    const answer = await fetch(`${url}${path}`, { method: "POST", headers, body: JSON.stringify(body) })
    const text = await answer.text()
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${text}`)
    return (text === "" ? undefined : JSON.parse(text)) as T
  }

  follow(session: string, tell: (type: string) => void): void {
    this.#sessions.set(session, tell)
  }

  async #listening(): Promise<string> {
    const said = lines(this.child.stdout)
    for (let next = await said.next(); !next.done; next = await said.next()) {
      const url = /listening on (http:\/\/\S+)/.exec(next.value)?.[1]
      if (url === undefined) continue
      void (async () => {
        while (!(await said.next()).done);
      })()
      await this.#listen(url)
      return url
    }
    throw new Error("OpenCode ended before it listened")
  }

  async #listen(url: string): Promise<void> {
    const { body } = await fetch(`${url}/global/event`)
    if (body === null) throw new Error("OpenCode gives no events")
    void (async () => {
      const parser = new SseParser(Number.POSITIVE_INFINITY)
      for await (const bytes of body) for (const { data } of parser.push(bytes)) this.#tell(data)
      // Cut when the server is stopped.
    })().catch(() => undefined)
  }

  #tell(data: string): void {
    const { payload }: Event = JSON.parse(data)
    const session = payload?.properties?.sessionID
    if (payload !== undefined && session !== undefined) this.#sessions.get(session)?.(payload.type)
  }
}

/** OpenCode with the environment the daemon gives it: one server for all sessions, or one for each. */
export async function opencodeAlone(
  program: string,
  given: (home: string) => Record<string, string>,
  how: "shared" | "apart",
): Promise<Arm> {
  const directory = await temporary()
  const servers: Server[] = []
  const start = async (name: string): Promise<Server> => {
    const home = join(directory, `home-${name}`)
    mkdirSync(home)
    const server = new Server(program, home, environmentOf(nativeVariables("opencode"), given(home)), await freePort())
    servers.push(server)
    return server
  }
  let shared: Promise<Server> | undefined
  const serverFor = (name: string): Promise<Server> => {
    if (how === "apart") return start(name)
    shared ??= start("all")
    return shared
  }
  return {
    pids: () => servers.map(({ child }) => child.pid),
    async answer(name) {
      const asked = performance.now()
      return drive(await serverFor(name), workspace(directory, name), asked)
    },
    stop: () =>
      stopAlone(
        servers.map(({ child }) => child),
        directory,
      ),
  }
}

async function drive(server: Server, directory: string, asked: number): Promise<Answered> {
  const since = (): number => performance.now() - asked
  const { id } = await server.post<{ id: string }>("/session", directory, {})
  const said: Answered = { ready: since(), first: Number.NaN, last: Number.NaN, deltas: 0 }
  const done = Promise.withResolvers<void>()
  server.follow(id, (type) => {
    if (type === "message.part.delta") {
      said.last = since()
      if (said.deltas++ === 0) said.first = said.last
    } else if (type === "session.idle") done.resolve()
  })
  await server.post(`/session/${id}/prompt_async`, directory, { parts: [{ type: "text", text: "hello" }] })
  await done.promise
  return said
}

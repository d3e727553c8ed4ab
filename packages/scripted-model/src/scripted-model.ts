import { createServer } from "node:http"
import { describeRequest } from "./describe.ts"
import { createIds } from "./ids.ts"
import { LIMITS } from "./limits.ts"
import type { ScriptedModelOptions } from "./options.ts"
import { Recorder, type SideRequest, type Unexpected } from "./recorder.ts"
import type { ModelRequest } from "./request.ts"
import { Scripts, SHARED } from "./scripts.ts"
import { handle, type Server } from "./server.ts"
import type { Matcher, ScriptItem } from "./step.ts"
import { ThreadServer } from "./thread-server.ts"

export interface ScriptedModel extends AsyncDisposable {
  /** `http://127.0.0.1:<port>`, without `/v1`. */
  readonly url: string
  readonly port: number
  /** Base address whose requests use the script of this session. */
  urlFor(session: string): string
  /** API key whose requests use the script of this session. */
  keyFor(session: string): string
  /** Adds steps to the shared script, or to that of one session. */
  script(steps: readonly ScriptItem[]): void
  script(session: string, steps: readonly ScriptItem[]): void
  /** Requests of the conversation, in order of arrival. */
  readonly requests: readonly ModelRequest[]
  readonly sideRequests: readonly SideRequest[]
  readonly unexpected: readonly Unexpected[]
  /** The server that Amp keeps its threads on. */
  readonly threadServer: ThreadServer
  /** Requests that carry this key, whichever script answered them. */
  requestsOf(session: string): ModelRequest[]
  /** The first request that fits, among those recorded and those to come. */
  waitFor(matcher: Matcher, timeoutMs?: number): Promise<ModelRequest>
  /** Throws when a step was not used or a request was not expected. */
  assertDone(): void
  /** Forgets all scripts and recordings. */
  reset(): void
  close(): Promise<void>
}

/** Starts a model endpoint on the loopback that says what the script says. */
export async function startScriptedModel(options: ScriptedModelOptions = {}): Promise<ScriptedModel> {
  const scripts = new Scripts()
  const recorder = new Recorder()
  const closing = new AbortController()
  let count = 0
  const server: Server = {
    options,
    scripts,
    recorder,
    ids: createIds(),
    threadServer: new ThreadServer(),
    closing: closing.signal,
    nextNumber: () => ++count,
  }
  if (options.script !== undefined) scripts.append(SHARED, options.script)

  const listener = createServer((incoming, response) => {
    handle(server, incoming, response).catch(() => response.destroy())
  })
  // Agents keep idle connections: one that closes just as it is used again looks like a fault of the model.
  listener.keepAliveTimeout = 0
  await new Promise<void>((resolve, reject) => {
    listener.once("error", reject)
    listener.listen(options.port ?? 0, "127.0.0.1", resolve)
  })
  const address = listener.address()
  if (address === null || typeof address === "string") throw new Error("The listener has no port")
  const url = `http://127.0.0.1:${address.port}`

  let closed: Promise<void> | undefined
  const close = () => {
    closed ??= new Promise<void>((resolve) => {
      closing.abort()
      listener.close(() => resolve())
      listener.closeAllConnections()
    })
    return closed
  }

  return {
    url,
    port: address.port,
    urlFor: (session) => `${url}/s/${encodeURIComponent(session)}`,
    keyFor: (session) => `key-${session}`,
    script: (first: string | readonly ScriptItem[], steps: readonly ScriptItem[] = []) =>
      typeof first === "string" ? scripts.append(first, steps) : scripts.append(SHARED, first),
    requests: recorder.requests,
    sideRequests: recorder.sideRequests,
    unexpected: recorder.unexpected,
    threadServer: server.threadServer,
    requestsOf: (session) => recorder.requests.filter((request) => request.sessionKeys.includes(session)),
    waitFor: (matcher, timeoutMs = LIMITS.waitForMs) => recorder.waitFor(matcher, timeoutMs),
    assertDone: () => assertDone(scripts, recorder),
    reset: () => {
      scripts.clear()
      server.threadServer.forgetThreads()
      recorder.clear()
    },
    close,
    [Symbol.asyncDispose]: close,
  }
}

function assertDone(scripts: Scripts, recorder: Recorder): void {
  const unused = scripts.unused().map((step) => `not used: ${step}`)
  const unexpected = recorder.unexpected.map(({ reason }) => `unexpected: ${reason}`)
  const problems = [...unexpected, ...unused]
  if (problems.length === 0) return
  const last = recorder.requests.at(-1)
  const context = last === undefined ? "no request came" : `the last was ${describeRequest(last)}`
  throw new Error(`The script was not followed (${context}):\n- ${problems.join("\n- ")}`)
}

import { opencodeLimits } from "@sandbox-agent/schema/driver-limits"
import { SandboxAgentError } from "@sandbox-agent/schema/error"
import { parseOfAgent } from "@sandbox-agent/schema/json-depth"
import { record, text } from "../shared/json.ts"
import type { Requests } from "./native.ts"

type Route = keyof Requests
type Of<K extends Route, Field extends string> = Requests[K] extends Record<Field, infer T> ? T : unknown
/** Names in the path and in the query, and what goes as the body. */
type Given<K extends Route> = { params: Of<K, "params"> } & (Requests[K] extends { body: infer B }
  ? { body: B }
  : unknown)
export type Answer<K extends Route> = Requests[K] extends { result: infer R } ? R : undefined

/** Requests to one `opencode serve`. Every body is read to its end. */
export class Client {
  readonly #headers: Record<string, string>

  constructor(
    readonly url: string,
    password: string,
    private readonly answerMs: number = opencodeLimits.answerMs,
  ) {
    this.#headers = { authorization: `Basic ${btoa(`opencode:${password}`)}` }
  }

  /** `ms` false: as long as the server likes. */
  async call<K extends Route>(route: K, given: Given<K>, ms: number | false = this.answerMs): Promise<Answer<K>> {
    const { params, body } = given as { params?: Record<string, unknown>; body?: unknown }
    const [method = "GET", pattern = "/"] = route.split(" ")
    const address = new URL(this.url + filled(pattern, params))
    for (const [name, value] of Object.entries(params ?? {}))
      if (value !== undefined && !pattern.includes(`{${name}}`)) address.searchParams.set(name, String(value))
    const init: BunFetchRequestInit = {
      method,
      headers: { ...this.#headers, ...(body !== undefined && { "content-type": "application/json" }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(ms === false ? { timeout: false } : { signal: AbortSignal.timeout(ms) }),
    }
    const { response, text } = await exchange(address, init, route, ms)
    return answerOf(response, text, route) as Answer<K>
  }

  /** The stream of all directories; there is only one, and it has no replay. */
  events(signal: AbortSignal): Promise<Response> {
    const init: BunFetchRequestInit = {
      headers: { ...this.#headers, accept: "text/event-stream" },
      signal,
      timeout: false,
    }
    return fetch(`${this.url}/global/event`, init)
  }
}

const filled = (pattern: string, params: Record<string, unknown> = {}): string =>
  pattern.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(params[name])))

async function exchange(address: URL, init: BunFetchRequestInit, route: string, ms: number | false) {
  try {
    const response = await fetch(address, init)
    return { response, text: await response.text() }
  } catch (error) {
    if (error instanceof Error && error.name === "TimeoutError")
      throw new SandboxAgentError("timeout", `OpenCode did not answer ${route} within ${ms} ms`)
    throw new SandboxAgentError("agent_process_exited", `OpenCode did not answer ${route}: ${String(error)}`)
  }
}

function answerOf(response: Response, content: string, route: string): unknown {
  const json = response.headers.get("content-type")?.includes("json") ?? false
  const body: unknown = json && content !== "" ? parseOfAgent(content) : undefined
  if (response.status === 204) return undefined
  // What it does not know it answers with its web page, and 200.
  if (response.ok && json) return body
  if (response.ok) throw new SandboxAgentError("not_supported", `this version of OpenCode has no ${route}`)
  const said = text(record(record(body).data).message) ?? text(record(body).message) ?? content.slice(0, 500)
  const code = response.status === 404 ? "not_found" : response.status === 400 ? "invalid_request" : "stream_error"
  throw new SandboxAgentError(code, `OpenCode answered ${route} with ${response.status}: ${said}`)
}

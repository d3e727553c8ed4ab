import type { TestDaemon } from "../harness/daemon.ts"
import { type Frame, sseEvents } from "../harness/sse.ts"

export interface Info {
  id: string
  command: string
  args: string[]
  status: "running" | "exited"
  pid?: number
  exitCode?: number
  signal?: string
  reason?: string
  createdAtMs: number
  exitedAtMs?: number
  ports: { port: number; address: string }[]
  firstSequence?: number
  lastSequence?: number
}

export interface Entry {
  sequence: number
  stream: "stdout" | "stderr" | "pty"
  timestampMs: number
  data: string
  encoding: string
}

/** The processes of a daemon, as a client has them. */
export class ProcessClient {
  constructor(readonly daemon: Pick<TestDaemon, "url" | "api">) {}

  start(body: object): Promise<Info> {
    return this.daemon.api.ok<Info>("POST", "/v1/processes", body)
  }

  get(id: string): Promise<Info> {
    return this.daemon.api.ok<Info>("GET", `/v1/processes/${id}`)
  }

  async list(): Promise<Info[]> {
    return (await this.daemon.api.ok<{ processes: Info[] }>("GET", "/v1/processes")).processes
  }

  ended(id: string): Promise<Info> {
    return this.daemon.api.ok<Info>("GET", `/v1/processes/${id}/wait`)
  }

  logs(id: string, query = ""): Promise<{ firstSequence: number; lastSequence: number; entries: Entry[] }> {
    return this.daemon.api.ok("GET", `/v1/processes/${id}/logs${query}`)
  }

  /** All that it has written, as text. */
  async text(id: string, query = ""): Promise<string> {
    const { entries } = await this.logs(id, query)
    return entries.map(textOf).join("")
  }

  input(id: string, data: string): Promise<{ bytesWritten: number }> {
    return this.daemon.api.ok("POST", `/v1/processes/${id}/input`, { data, encoding: "utf8" })
  }

  async *follow(id: string, query = "", headers: Record<string, string> = {}): AsyncGenerator<Frame> {
    const accept = { accept: "text/event-stream", ...headers }
    const { url, api } = this.daemon
    const response = await fetch(`${url}/v1/processes/${id}/logs${query}`, { headers: { ...api.headers, ...accept } })
    if (!response.ok) throw new Error(`${response.status} ${await response.text()}`)
    yield* sseEvents(response)
  }

  /** The first line that its output holds, as soon as it is there; `query` for one of its streams alone. */
  async said(id: string, pattern: RegExp, query = ""): Promise<RegExpExecArray> {
    let text = ""
    for await (const { event, data } of this.follow(id, query)) {
      if (event !== "log") continue
      text += textOf(JSON.parse(data) as Entry)
      const found = pattern.exec(text)
      if (found !== null) return found
    }
    throw new Error(`it never said ${pattern}: ${text}`)
  }
}

export const textOf = ({ data }: Pick<Entry, "data">): string => Buffer.from(data, "base64").toString()

import { SandboxAgentError } from "@sandbox-agent/schema/error"
import { fileLimits } from "@sandbox-agent/schema/file-limits"
import type { Supervisor } from "../../core/supervisor.ts"
import type { SearchQuery } from "../../host/files/search/query.ts"
import { heartbeat, sseResponse, open as streams } from "../http/sse.ts"
import type { StalledReaders } from "../http/stalled-readers.ts"

const encoder = new TextEncoder()
let searches = 0

/** What a search finds, as SSE, while it finds it. The search ends with its client. */
export function searchAnswer(
  query: SearchQuery,
  self: readonly string[],
  supervisor: Pick<Supervisor, "spawn">,
  request: Request,
  stalled: StalledReaders,
): Response {
  assertExpression(query)
  if (searches >= fileLimits.searches)
    throw new SandboxAgentError("too_many_requests", `${fileLimits.searches} searches run already`, {
      limit: fileLimits.searches,
    })
  const search = new Search(query, self, supervisor)
  // Not before: one that cannot be started never ends.
  searches++
  const leave = () => search.end()
  request.signal.addEventListener("abort", leave, { once: true })
  if (request.signal.aborted) search.end()
  return sseResponse(frames(search, request, stalled))
}

function assertExpression({ mode, pattern }: SearchQuery): void {
  if (mode !== "regex") return
  try {
    new RegExp(pattern, "su")
  } catch (error) {
    throw new SandboxAgentError("invalid_request", `query pattern: ${error instanceof Error ? error.message : ""}`)
  }
}

/** One process that searches; its output is read no faster than its client takes it. */
class Search {
  #lines: string[] = []
  #wake = () => {}
  #taken = Promise.withResolvers<void>()
  #ended = false
  #gone = false
  readonly #child

  constructor(query: SearchQuery, self: readonly string[], supervisor: Pick<Supervisor, "spawn">) {
    this.#child = supervisor.spawn({
      owner: "search",
      label: "search",
      command: [...self, "search-files"],
      directory: "/",
      asDaemon: true,
      env: {},
      onLine: (line) => {
        this.#lines.push(line)
        this.#wake()
      },
      onExit: () => {
        searches--
        this.#ended = true
        this.#wake()
      },
      gate: () => (this.#lines.length < fileLimits.searchWaiting || this.#gone ? undefined : this.#taken.promise),
    })
    // One that is gone already says so by its exit.
    this.#child.write(JSON.stringify(query)).then(
      () => this.#child.endInput(),
      () => undefined,
    )
  }

  get ended(): boolean {
    return this.#ended && this.#lines.length === 0
  }

  async next(wait: Promise<void>): Promise<string[]> {
    if (this.#lines.length === 0 && !this.#ended) {
      const { promise, resolve } = Promise.withResolvers<void>()
      this.#wake = resolve
      await Promise.race([promise, wait])
    }
    const lines = this.#lines
    this.#lines = []
    this.#taken.resolve()
    this.#taken = Promise.withResolvers()
    return lines
  }

  end(): void {
    this.#gone = true
    this.#taken.resolve()
    if (!this.#ended) void this.#child.kill()
  }
}

async function* frames(search: Search, request: Request, stalled: StalledReaders): AsyncGenerator<Uint8Array> {
  const watched = stalled.watch(request)
  streams.streams++
  let id = 0
  let done = false
  try {
    while (!request.signal.aborted && !search.ended) {
      await watched.cut()
      watched.hasAll = true
      const lines = await search.next(Bun.sleep(stalled.heartbeatMs))
      watched.hasAll = false
      if (search.ended && lines.length === 0) break
      done ||= lines.at(-1)?.startsWith('{"type":"done"') ?? false
      const text = lines.map((line) => `id: ${++id}\ndata: ${line}\n\n`).join("")
      const bytes = lines.length === 0 ? heartbeat : encoder.encode(text)
      watched.given += bytes.length
      yield bytes
    }
    // One that was ended half-way must not look like one that found nothing more.
    if (!done && !request.signal.aborted) throw new SandboxAgentError("stream_error", "the search ended too early")
  } finally {
    search.end()
    streams.streams--
    stalled.forget(watched)
  }
}

import { SandboxAgentError } from "@sandbox-agent/schema/error"
import type { FileChange } from "@sandbox-agent/schema/file"
import { fileLimits } from "@sandbox-agent/schema/file-limits"
import type { BytePath } from "../../host/files/byte-path.ts"
import type { Fence } from "../../host/files/fence.ts"
import { IgnoreRules } from "../../host/files/ignore-rules.ts"
import { FOLDER, openPath } from "../../host/files/opened.ts"
import { Watch } from "../../host/files/watch.ts"
import { heartbeat, sseResponse, open as streams } from "../http/sse.ts"
import type { StalledReaders } from "../http/stalled-readers.ts"

const encoder = new TextEncoder()
let watches = 0

/** Changes of a folder as SSE. Changes are not kept: a client that comes back with an id is told to list again. */
export async function watchAnswer(
  fence: Fence,
  path: BytePath,
  { recursive = true, gitignore = false }: { recursive?: boolean | undefined; gitignore?: boolean | undefined },
  request: Request,
  stalled: StalledReaders,
): Promise<Response> {
  if (watches >= fileLimits.watches)
    throw new SandboxAgentError("too_many_requests", `${fileLimits.watches} folders are watched already`, {
      limit: fileLimits.watches,
    })
  watches++
  const root = await openPath(fence, path, FOLDER).catch((error: unknown) => {
    watches--
    throw error
  })
  const rules = gitignore ? () => IgnoreRules.around(fence, root, [".gitignore"]) : undefined
  let watch: Watch | undefined
  let ended = false
  const end = () => {
    if (ended) return
    ended = true
    watches--
    watch?.close()
    void root.close()
  }
  request.signal.addEventListener("abort", end, { once: true })
  try {
    watch = await Watch.begin(fence, root, { recursive, rules })
    if (request.signal.aborted) throw new SandboxAgentError("stream_error", "nobody takes the answer")
    const cameBack = request.headers.get("last-event-id") !== null
    return sseResponse(frames(watch, cameBack, request, stalled, end))
  } catch (error) {
    watch?.close()
    end()
    throw error
  }
}

async function* frames(
  watch: Watch,
  cameBack: boolean,
  request: Request,
  stalled: StalledReaders,
  end: () => void,
): AsyncGenerator<Uint8Array> {
  let id = 0
  const frame = (change: FileChange) => `id: ${++id}\ndata: ${JSON.stringify(change)}\n\n`
  const watched = stalled.watch(request)
  streams.streams++
  try {
    yield encoder.encode(`retry: 1000\n\n${frame({ type: "ready" })}${cameBack ? frame({ type: "resync" }) : ""}`)
    while (!request.signal.aborted && !watch.ended) {
      await watched.cut()
      watched.hasAll = true
      const changes = await watch.next(Bun.sleep(stalled.heartbeatMs))
      watched.hasAll = false
      const bytes = changes.length === 0 ? heartbeat : encoder.encode(changes.map(frame).join(""))
      watched.given += bytes.length
      yield bytes
    }
  } finally {
    streams.streams--
    stalled.forget(watched)
    end()
  }
}

import { SandboxAgentError } from "@sandbox-agent/schema/error"
import type { Call } from "./client.ts"

/** An answer whose connection broke, or that ended before its end: what was printed is a part of it. */
export function cutOff(error: unknown, request: Pick<Call, "path">, lastId = ""): SandboxAgentError {
  const reason = error instanceof Error ? error.message.split(". ")[0] : String(error)
  const [, kind, id] = /^\/v1\/(sessions|processes)\/([^/]+)\//.exec(request.path) ?? []
  const goesOn =
    kind === "sessions"
      ? `sessions stream-events ${decodeURIComponent(id ?? "")} --offset ${lastId}`
      : `processes logs ${decodeURIComponent(id ?? "")} --follow --since ${lastId}`
  const hint =
    kind === undefined || lastId === ""
      ? "what came is a part of the answer; run the command again once the daemon answers (`sandbox-agent health`)"
      : `what follows is at \`sandbox-agent ${goesOn}\``
  return new SandboxAgentError("stream_error", `the connection broke (${reason})`, { hint })
}

/** Why, where it ended in good order. */
export const endedEarly = "the answer ended too early"

/** The bytes of an answer as they come; that they do not all come is an error. */
export async function* bytesOf(
  body: ReadableStream<Uint8Array>,
  request: Pick<Call, "path">,
): AsyncGenerator<Uint8Array> {
  const reader = body.getReader()
  try {
    for (;;) {
      const { done, value } = await reader.read().catch((error: unknown) => {
        throw cutOff(error, request)
      })
      if (done) return
      yield value
    }
  } finally {
    // After an error it fails with the same, which was thrown.
    await reader.cancel().catch(() => undefined)
  }
}

export async function textOf(response: Response, request: Pick<Call, "path">): Promise<string> {
  return await response.text().catch((error: unknown) => {
    throw cutOff(error, request)
  })
}

import type { IncomingMessage, ServerResponse } from "node:http"
import { readBody } from "./body.ts"
import { converse } from "./conversation.ts"
import { anthropic } from "./dialects/anthropic.ts"
import type { Dialect } from "./dialects/dialect.ts"
import type { Ids } from "./ids.ts"
import { isObject, type JsonObject, parseJson } from "./json.ts"
import { LIMITS } from "./limits.ts"
import { DEFAULT_MODELS, modelList, modelObject } from "./models.ts"
import type { ScriptedModelOptions } from "./options.ts"
import { sendJson } from "./output.ts"
import { sendError } from "./play.ts"
import type { Recorder } from "./recorder.ts"
import type { SideKind } from "./request.ts"
import { decode, dialectOf, readTarget, type Target, withoutVersion } from "./route.ts"
import { error } from "./script.ts"
import type { Scripts } from "./scripts.ts"
import type { ThreadServer } from "./thread-server.ts"

export interface Server {
  options: ScriptedModelOptions
  scripts: Scripts
  recorder: Recorder
  ids: Ids
  threadServer: ThreadServer
  closing: AbortSignal
  nextNumber(): number
}

export async function handle(server: Server, incoming: IncomingMessage, response: ServerResponse): Promise<void> {
  const target = readTarget(incoming.url ?? "/")
  const id = server.ids.next("req")
  response.setHeader("request-id", id)
  response.setHeader("x-request-id", id)
  const method = incoming.method ?? ""
  const text = await readBody(incoming, LIMITS.bodyBytes)
  const dialect = dialectOf(target.path)
  if (method === "POST" && dialect !== undefined) {
    const body = text === undefined ? undefined : parseJson(text)
    if (isObject(body)) return await converse(server, dialect, target, incoming, response, body)
    const [status, reason] =
      text === undefined ? ([413, "body too large"] as const) : ([400, "body is not JSON"] as const)
    return refuse(server, dialect, target, method, response, status, reason)
  }
  const kept = server.threadServer.answer(method, target.path, text ?? "")
  const side: PlainSide | undefined = kept ? { kind: "thread-server", ...kept } : plainSide(server, target, incoming)
  if (side === undefined) {
    const known = dialect ?? anthropic
    return refuse(server, known, target, method, response, 404, `no such path: ${method} ${target.path}`)
  }
  server.recorder.side({ kind: side.kind, method, path: target.path, request: undefined })
  sendJson(response, side.status, side.body)
}

function refuse(
  { recorder }: Server,
  dialect: Dialect,
  { path }: Target,
  method: string,
  response: ServerResponse,
  status: number,
  reason: string,
): void {
  recorder.surprise({ reason, method, path, request: undefined })
  sendError({ dialect, response }, error(status, `scripted-model: ${reason}`))
}

interface PlainSide {
  kind: SideKind
  status: number
  body: JsonObject
}

function plainSide({ options }: Server, target: Target, incoming: IncomingMessage): PlainSide | undefined {
  const path = withoutVersion(target.path)
  const get = incoming.method === "GET" || incoming.method === "HEAD"
  if (get && ["/", "/v1", ""].includes(path)) return { kind: "health", status: 200, body: { status: "ok" } }
  if (incoming.method === "POST" && path === "/messages/count_tokens") {
    return { kind: "count-tokens", status: 200, body: { input_tokens: options.countTokens ?? 100 } }
  }
  if (incoming.method === "POST" && path.endsWith(":countTokens")) {
    return { kind: "count-tokens", status: 200, body: { totalTokens: options.countTokens ?? 100 } }
  }
  // Codex's own provider tries a websocket first and falls back on this status.
  if (get && path === "/responses") return { kind: "websocket", status: 426, body: { error: { message: "POST only" } } }
  if (!get || !/^\/models(\/|$)/.test(path)) return undefined
  const models = options.models ?? DEFAULT_MODELS
  const shape = incoming.headers["anthropic-version"] === undefined ? "openai" : "anthropic"
  if (path === "/models" || path === "/models/") return { kind: "models", status: 200, body: modelList(models, shape) }
  const id = decode(path.slice("/models/".length))
  const model = models.find((each) => each.id === id)
  if (model !== undefined) return { kind: "models", status: 200, body: modelObject(model, shape) }
  return { kind: "models", status: 404, body: { error: { message: `no such model: ${id}`, code: "model_not_found" } } }
}

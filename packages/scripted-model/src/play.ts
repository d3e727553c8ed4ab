import type { ServerResponse } from "node:http"
import type { Block, Dialect, EncodeContext, Encoder } from "./dialects/dialect.ts"
import { argumentsText } from "./dialects/tool-arguments.ts"
import type { Ids } from "./ids.ts"
import { type Output, plainOutput, sendJson, streamOutput } from "./output.ts"
import type { BlockPart, Chunks, CutAfterPart, ErrorPart, Part, Reply, UsagePart } from "./part.ts"
import type { ModelRequest } from "./request.ts"
import { error, usage } from "./script.ts"
import { pause, waitOut } from "./wait.ts"

export interface Stage {
  dialect: Dialect
  request: ModelRequest
  response: ServerResponse
  ids: Ids
  /** Aborted when the agent leaves or the model closes. */
  signal: AbortSignal
}

/** Plays one reply to the agent; says how it went unless the signal aborted meanwhile. */
export async function play(reply: Reply, stage: Stage): Promise<"answered" | "cut"> {
  const { dialect, request, response, ids, signal } = stage
  const limit = reply.parts.find((part): part is CutAfterPart => part.type === "cut-after")
  const output = (request.stream ? streamOutput : plainOutput)(response, limit)
  const encoder = dialect.encoder(encodeContext(reply, stage))
  const player = new Player(encoder, output, dialect, ids, signal)
  for (const part of reply.parts) {
    if (signal.aborted) return "answered"
    if (part.type === "error") {
      sendError(stage, part)
      return "answered"
    }
    if (part.type === "stream-error" && !request.stream) {
      sendError(stage, error(500, part.message, { type: part.errorType }))
      return "answered"
    }
    if (part.type === "cut") {
      await output.cut()
      return "cut"
    }
    if (!(await player.part(part))) return "cut"
    if (part.type === "stream-error") {
      response.end()
      return "answered"
    }
  }
  if (signal.aborted) return "answered"
  return (await player.end()) ? "answered" : "cut"
}

class Player {
  readonly #encoder: Encoder
  readonly #output: Output
  readonly #dialect: Dialect
  readonly #ids: Ids
  readonly #signal: AbortSignal
  #started = false
  #blocks = 0

  constructor(encoder: Encoder, output: Output, dialect: Dialect, ids: Ids, signal: AbortSignal) {
    this.#encoder = encoder
    this.#output = output
    this.#dialect = dialect
    this.#ids = ids
    this.#signal = signal
  }

  /** False when the script cut the connection. */
  async part(part: Part): Promise<boolean> {
    switch (part.type) {
      case "text":
      case "thinking":
      case "tool-call":
        return (await this.#start()) && (await this.#block(part))
      case "ping":
        return (await this.#start()) && (await this.#output.send(this.#encoder.ping()))
      case "raw":
        if (part.dialect !== this.#dialect.name) return true
        return (
          (await this.#start()) && (await this.#output.send(part.events.flatMap((event) => this.#encoder.raw(event))))
        )
      case "stream-error":
        return (await this.#start()) && (await this.#output.send(this.#encoder.streamError(part)))
      case "delay":
      case "hold":
      case "hang":
        await waitOut(part, this.#signal)
        return true
      default:
        return true
    }
  }

  async end(): Promise<boolean> {
    return (await this.#start()) && (await this.#output.finish(this.#encoder))
  }

  // Late, so that waits before the first content hold back the headers too.
  async #start(): Promise<boolean> {
    if (this.#started) return true
    this.#started = true
    return await this.#output.send(this.#encoder.start())
  }

  async #block(part: BlockPart): Promise<boolean> {
    const id = (part.type === "tool-call" && part.id) || this.#ids.next(this.#dialect.blockIdPrefix(part))
    const block: Block = { index: this.#blocks++, id, part, content: "" }
    if (!(await this.#output.send(this.#encoder.blockStart(block)))) return false
    let first = true
    for (const chunk of chunksOf(part)) {
      if (this.#signal.aborted) return true
      if (typeof chunk !== "string") {
        await waitOut(chunk, this.#signal)
        continue
      }
      if (!first) await pause(part.delayMs, this.#signal)
      first = false
      if (this.#signal.aborted) return true
      block.content += chunk
      if (!(await this.#output.send(this.#encoder.blockDelta(block, chunk)))) return false
    }
    if (part.open || this.#signal.aborted) return true
    return await this.#output.send(this.#encoder.blockEnd(block))
  }
}

function chunksOf(part: BlockPart): Chunks {
  if (part.type !== "tool-call") return part.chunks
  const text = argumentsText(part)
  if (part.chunkSize >= text.length) return [text]
  const pieces: string[] = []
  for (let at = 0; at < text.length; at += part.chunkSize) pieces.push(text.slice(at, at + part.chunkSize))
  return pieces
}

function encodeContext(reply: Reply, { dialect, request, ids }: Stage): EncodeContext {
  const counted = reply.parts.findLast((part): part is UsagePart => part.type === "usage") ?? usage({})
  const stop = reply.parts.findLast((part) => part.type === "stop")
  const callsTool = reply.parts.some((part) => part.type === "tool-call")
  return {
    request,
    replyId: ids.next(dialect.replyIdPrefix),
    createdAt: Math.floor(Date.now() / 1000),
    usage: counted,
    stop: stop?.reason ?? (callsTool ? "tool_use" : "end_turn"),
  }
}

export function sendError({ dialect, response }: Pick<Stage, "dialect" | "response">, part: ErrorPart): void {
  // A status cannot follow content: the script asks for what no server does.
  if (response.headersSent) throw new Error("error() after content: use sseError() or cut()")
  const headers = { ...part.headers }
  if (part.retryAfter !== undefined) headers["retry-after"] = String(part.retryAfter)
  sendJson(response, part.status, part.body ?? dialect.errorBody(part), headers)
}

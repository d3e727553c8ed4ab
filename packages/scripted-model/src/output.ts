import type { ServerResponse } from "node:http"
import type { Encoder, Frame } from "./dialects/dialect.ts"
import type { JsonObject } from "./json.ts"
import type { CutAfterPart } from "./part.ts"

const READING_TIME_MS = 50

/** Where a reply is played to: a stream of events, or one JSON body at the end. */
export interface Output {
  /** False when the connection was cut here by the script. */
  send(frames: Frame[]): Promise<boolean>
  finish(encoder: Encoder): Promise<boolean>
  cut(): Promise<void>
}

export function streamOutput(response: ServerResponse, limit: CutAfterPart | undefined): Output {
  let bytesLeft = limit?.bytes ?? Number.POSITIVE_INFINITY
  let eventsLeft = limit?.events ?? Number.POSITIVE_INFINITY
  const open = () => {
    if (response.headersSent) return
    response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache" })
    response.flushHeaders()
  }
  const cut = async () => {
    open()
    await breakOff(response)
  }
  const send = async (frames: Frame[]) => {
    for (const frame of frames) {
      open()
      const bytes = Buffer.from(frame)
      await write(response, bytes.subarray(0, Math.min(bytes.length, bytesLeft)))
      bytesLeft -= bytes.length
      eventsLeft -= 1
      if (bytesLeft > 0 && eventsLeft > 0) continue
      await cut()
      return false
    }
    return true
  }
  return {
    send,
    cut,
    finish: async (encoder) => {
      if (!(await send(encoder.end()))) return false
      response.end()
      return true
    },
  }
}

export function plainOutput(response: ServerResponse, limit: CutAfterPart | undefined): Output {
  const cut = () => breakOff(response)
  return {
    send: async () => true,
    cut,
    finish: async (encoder) => {
      const bytes = Buffer.from(JSON.stringify(encoder.body()))
      if (limit === undefined) {
        sendJson(response, 200, bytes)
        return true
      }
      response.writeHead(200, { "content-type": "application/json", "content-length": bytes.length })
      // A plain body has no events: any limit of them falls inside it.
      await write(response, bytes.subarray(0, Math.min(limit.bytes, bytes.length - 1)))
      await cut()
      return false
    },
  }
}

export function sendJson(
  response: ServerResponse,
  status: number,
  body: JsonObject | Buffer,
  headers: Record<string, string> = {},
): void {
  const bytes = Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body))
  response.writeHead(status, { "content-type": "application/json", "content-length": bytes.length, ...headers })
  response.end(bytes)
}

// Some clients (Bun's fetch, thus Claude Code and OpenCode) throw away what they have not read when a connection breaks.
async function breakOff(response: ServerResponse): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, READING_TIME_MS))
  response.destroy()
}

// Waits until the bytes have left: what is written before a cut has to arrive, and a slow reader holds the script.
function write(response: ServerResponse, bytes: Uint8Array): Promise<void> {
  if (bytes.length === 0 || response.destroyed) return Promise.resolve()
  return new Promise((resolve) => {
    const gone = () => resolve()
    response.once("close", gone)
    response.write(bytes, () => {
      response.off("close", gone)
      resolve()
    })
  })
}

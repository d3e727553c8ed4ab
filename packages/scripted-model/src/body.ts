import type { IncomingMessage } from "node:http"
import { gunzipSync } from "node:zlib"

/** The whole body, unpacked, or undefined when it is larger than allowed. */
export async function readBody(incoming: IncomingMessage, limit: number): Promise<string | undefined> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    size += chunk.length
    // Read on to the end, so that the refusal reaches a client that is still sending.
    if (size <= limit) chunks.push(chunk)
  }
  if (size > limit) return undefined
  const body = Buffer.concat(chunks)
  if (incoming.headers["content-encoding"] !== "gzip") return body.toString("utf8")
  return unpacked(body, limit)?.toString("utf8")
}

function unpacked(body: Buffer, limit: number): Buffer | undefined {
  try {
    return gunzipSync(body, { maxOutputLength: limit })
  } catch (error) {
    if (error instanceof RangeError) return undefined
    // As it came: whoever reads it says that it is no JSON.
    return body
  }
}

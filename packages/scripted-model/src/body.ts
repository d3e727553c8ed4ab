import type { IncomingMessage } from "node:http"

/** The whole body, or undefined when it is larger than allowed. */
export async function readBody(incoming: IncomingMessage, limit: number): Promise<string | undefined> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    size += chunk.length
    // Read on to the end, so that the refusal reaches a client that is still sending.
    if (size <= limit) chunks.push(chunk)
  }
  return size > limit ? undefined : Buffer.concat(chunks).toString("utf8")
}

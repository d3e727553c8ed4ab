import { byteLength, fitsBytes, headBytes } from "@sandbox-agent/schema/byte-length"
import { limits } from "@sandbox-agent/schema/limits"

/** The data of each event of a stream. One over `limits.agentLineBytes` is told and passed over. */
export async function* eventData(
  body: AsyncIterable<Uint8Array>,
  onOversize: (head: string, bytes: number) => void,
): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let pending = ""
  let pendingBytes = 0
  /** Of a line that is too long: how it began, and its bytes so far. */
  let skipped: { head: string; bytes: number } | undefined
  for await (const chunk of body) {
    const text = decoder.decode(chunk, { stream: true })
    let from = 0
    for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", from)) {
      const line = pending + text.slice(from, end)
      from = end + 1
      pending = ""
      pendingBytes = 0
      if (skipped !== undefined) {
        onOversize(skipped.head, skipped.bytes + byteLength(line))
        skipped = undefined
      } else if (!fitsBytes(line, limits.agentLineBytes))
        onOversize(headBytes(line, limits.unparsedLineBytes), byteLength(line))
      else if (line.startsWith("data:")) yield line.slice(line.startsWith("data: ") ? 6 : 5).trimEnd()
    }
    const rest = text.slice(from)
    pending += rest
    pendingBytes += byteLength(rest)
    if (skipped !== undefined) skipped.bytes += pendingBytes
    else if (pendingBytes > limits.agentLineBytes)
      skipped = { head: headBytes(pending, limits.unparsedLineBytes), bytes: pendingBytes }
    else continue
    pending = ""
    pendingBytes = 0
  }
}

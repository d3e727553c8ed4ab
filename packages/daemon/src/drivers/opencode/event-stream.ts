import { limits } from "@sandbox-agent/schema/limits"

/** The data of each event of a stream. One over `limits.agentLineBytes` is told and passed over. */
export async function* eventData(
  body: AsyncIterable<Uint8Array>,
  onOversize: (head: string, bytes: number) => void,
): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let pending = ""
  /** Characters of a line that is too long, and how it began. */
  let skipped: { head: string; length: number } | undefined
  for await (const chunk of body) {
    const text = decoder.decode(chunk, { stream: true })
    let from = 0
    for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", from)) {
      const line = pending + text.slice(from, end)
      from = end + 1
      pending = ""
      if (skipped !== undefined) {
        onOversize(skipped.head, skipped.length + line.length)
        skipped = undefined
      } else if (line.length > limits.agentLineBytes) onOversize(line.slice(0, limits.unparsedLineBytes), line.length)
      else if (line.startsWith("data:")) yield line.slice(line.startsWith("data: ") ? 6 : 5).trimEnd()
    }
    pending += text.slice(from)
    if (skipped !== undefined) {
      skipped.length += pending.length
      pending = ""
    } else if (pending.length > limits.agentLineBytes) {
      skipped = { head: pending.slice(0, limits.unparsedLineBytes), length: pending.length }
      pending = ""
    }
  }
}

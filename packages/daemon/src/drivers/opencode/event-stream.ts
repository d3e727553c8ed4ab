import { byteLength, headBytes } from "@sandbox-agent/schema/byte-length"
import { limits } from "@sandbox-agent/schema/limits"
import { SseParser } from "acp-http-client/sse"

/** The data of each event of a stream. One over `limits.agentLineBytes` is reported and skipped. */
export async function* eventData(
  body: AsyncIterable<Uint8Array>,
  onOversize: (head: string, bytes: number) => void,
): AsyncGenerator<string> {
  const parser = new SseParser(limits.agentLineBytes, {
    sizeOf: byteLength,
    onTooLarge: (head, bytes) => onOversize(headBytes(head, limits.unparsedLineBytes), bytes),
  })
  for await (const chunk of body) for (const { data } of parser.push(chunk)) if (data !== "") yield data
}

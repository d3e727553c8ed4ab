import type { FileHandle } from "node:fs/promises"
import { limits } from "@sandbox-agent/schema/limits"
import { tooLarge } from "./regular-file.ts"

const stepBytes = 256 * 1024

/**
 * The whole lines of an open file, one after the other; what follows the last line break was torn by a kill. One that is
 * longer than a line of an agent may be is passed over, and a file that goes on for ever is given up.
 */
export async function* linesOf(handle: FileHandle, path: string): AsyncIterable<string> {
  // Most that are too long say so, and need not be read; one that grows meanwhile is found out below.
  if ((await handle.stat()).size > limits.transcriptBytes) throw tooLarge(path, limits.transcriptBytes)
  let [read, length, passing] = [0, 0, false]
  let pieces: Buffer[] = []
  const step = Buffer.allocUnsafe(stepBytes)
  for (;;) {
    const { bytesRead } = await handle.read(step, 0, stepBytes, read)
    if (bytesRead === 0) return
    read += bytesRead
    if (read > limits.transcriptBytes) throw tooLarge(path, limits.transcriptBytes)
    let rest = step.subarray(0, bytesRead)
    for (let end = rest.indexOf(0x0a); end >= 0; end = rest.indexOf(0x0a)) {
      if (!passing && length + end <= limits.agentLineBytes)
        yield (
          pieces.length === 0 ? rest.subarray(0, end) : Buffer.concat([...pieces, rest.subarray(0, end)])
        ).toString()
      ;[pieces, length, passing] = [[], 0, false]
      rest = rest.subarray(end + 1)
    }
    length += rest.length
    passing ||= length > limits.agentLineBytes
    if (passing) pieces = []
    else pieces.push(Buffer.from(rest))
  }
}

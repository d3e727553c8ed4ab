import { processLimits } from "@sandbox-agent/schema/process-limits"

export const nothing: Uint8Array = new Uint8Array(0)
const ESCAPE = 0x1b

/** What of output is not finished at its end: the beginning of a sequence, or of a character of several bytes. */
export function restOf(before: Uint8Array, bytes: Uint8Array, isBetweenSequences: boolean): Uint8Array {
  if (isBetweenSequences) return cutCharacter(bytes)
  const whole = before.length === 0 ? bytes : Buffer.concat([before, bytes])
  const start = whole.lastIndexOf(ESCAPE)
  // Longer than any that means something on a screen.
  if (start < 0 || whole.length - start > processLimits.terminalSequenceBytes) return nothing
  return whole.slice(start)
}

/** The bytes of a character of UTF-8 at the end of which some are missing. */
function cutCharacter(bytes: Uint8Array): Uint8Array {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0
    if ((byte & 0xc0) === 0x80) continue
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1
    return length > back ? bytes.slice(-back) : nothing
  }
  return nothing
}

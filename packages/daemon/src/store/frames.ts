/**
 * The form in which events are stored and sent: SSE frames, `id: N\ndata: {json}\n\n`. JSON text holds no bare
 * newline, so a blank line always ends a frame; replay hands the stored bytes to the socket as they are.
 */
const NEWLINE = 10
const decoder = new TextDecoder()

export const frame = (sequence: number, json: string): string => `id: ${sequence}\ndata: ${json}\n\n`

export const headLength = (sequence: number): number => `id: ${sequence}\ndata: `.length

/** Byte offset at which the frame number `skip` (from 0) begins. */
export function frameOffset(bytes: Uint8Array, skip: number): number {
  let at = 0
  for (let i = 0; i < skip; i++) at = frameEnd(bytes, at)
  return at
}

function frameEnd(bytes: Uint8Array, from: number): number {
  // Two lines and a blank one: three newlines, the last two side by side.
  const first = bytes.indexOf(NEWLINE, from)
  const second = first < 0 ? -1 : bytes.indexOf(NEWLINE, first + 1)
  if (second < 0 || bytes[second + 1] !== NEWLINE) throw new RangeError("not a run of frames")
  return second + 2
}

/** Whether these bytes are `count` frames from `sequence` on, for rows that have no checksum. */
export function areFrames(bytes: Uint8Array, sequence: number, count: number): boolean {
  try {
    let at = 0
    for (let n = sequence; n < sequence + count; n++) {
      const { json, end } = frameText(bytes, at, n)
      if (decoder.decode(bytes.subarray(at, at + headLength(n))) !== `id: ${n}\ndata: `) return false
      JSON.parse(json)
      at = end
    }
    return at === bytes.length
  } catch {
    return false
  }
}

/** The JSON text of the frame that begins at `at`, and where the next one begins. */
export function frameText(bytes: Uint8Array, at: number, sequence: number): { json: string; end: number } {
  const end = frameEnd(bytes, at)
  return { json: decoder.decode(bytes.subarray(at + headLength(sequence), end - 2)), end }
}

/** The JSON texts of a run of frames whose first sequence is `sequence`. */
export function jsonOf(bytes: Uint8Array, sequence: number): string[] {
  const texts: string[] = []
  for (let at = 0, n = sequence; at < bytes.length; n++) {
    const { json, end } = frameText(bytes, at, n)
    texts.push(json)
    at = end
  }
  return texts
}

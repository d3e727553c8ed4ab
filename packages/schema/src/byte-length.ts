const encoder = new TextEncoder()

/** Whether a text is at most so many bytes as UTF-8; counted only when its length does not tell. */
export function fitsBytes(text: string, bytes: number): boolean {
  if (text.length > bytes) return false
  return text.length * 3 <= bytes || encoder.encode(text).length <= bytes
}

export const byteLength = (text: string): number => encoder.encode(text).length

/** Two texts that are the one again, the first of at most so many bytes; no character is cut in two. */
export function splitAtBytes(text: string, bytes: number): [string, string] {
  if (fitsBytes(text, bytes)) return [text, ""]
  const { read } = encoder.encodeInto(text.slice(0, bytes + 1), new Uint8Array(bytes))
  return [text.slice(0, read), text.slice(read)]
}

/** The beginning of a text. */
export const headBytes = (text: string, bytes: number): string => splitAtBytes(text, bytes)[0]

/** The end of a text. */
export function tailBytes(text: string, bytes: number): string {
  if (fitsBytes(text, bytes)) return text
  const end = encoder.encode(text.slice(-bytes))
  let from = end.length - bytes
  while (((end[from] ?? 0) & 0xc0) === 0x80) from++
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(end.subarray(from))
}

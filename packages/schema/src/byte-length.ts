const encoder = new TextEncoder()

/** Whether a text is at most so many bytes as UTF-8; counted only when its length does not tell. */
export function fitsBytes(text: string, bytes: number): boolean {
  if (text.length > bytes) return false
  return text.length * 3 <= bytes || encoder.encode(text).length <= bytes
}

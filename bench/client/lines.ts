/** Lines of a byte stream. */
export async function* lines(stream: ReadableStream<Uint8Array>): AsyncGenerator<string, undefined> {
  const decoder = new TextDecoder()
  let rest = ""
  for await (const bytes of stream) {
    rest += decoder.decode(bytes, { stream: true })
    const parts = rest.split("\n")
    rest = parts.pop() ?? ""
    yield* parts
  }
  return undefined
}

/** Whole lines of stdin, and its end. */
export function readLines(onLine: (line: string) => void, onEnd: () => void): void {
  // Pieces are joined once per line: a message with attachments may come in hundreds of them.
  let pieces: string[] = []
  const decoder = new TextDecoder()
  const take = (bytes: Uint8Array) => {
    const chunk = decoder.decode(bytes, { stream: true })
    let from = 0
    for (let end = chunk.indexOf("\n"); end >= 0; end = chunk.indexOf("\n", from)) {
      pieces.push(chunk.slice(from, end))
      const line = pieces.join("")
      pieces = []
      from = end + 1
      if (line !== "") onLine(line)
    }
    if (from < chunk.length) pieces.push(chunk.slice(from))
  }
  const read = async () => {
    for await (const bytes of Bun.stdin.stream()) take(bytes)
  }
  // A broken pipe is an end like any other.
  read().then(onEnd, onEnd)
}

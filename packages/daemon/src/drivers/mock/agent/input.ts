/** Whole lines of stdin, and its end. */
export function readLines(onLine: (line: string) => void, onEnd: () => void): void {
  // Pieces are joined once per line: a message with attachments may come in hundreds of them.
  let pieces: string[] = []
  process.stdin.setEncoding("utf8")
  process.stdin.on("data", (chunk: string) => {
    let from = 0
    for (let end = chunk.indexOf("\n"); end >= 0; end = chunk.indexOf("\n", from)) {
      pieces.push(chunk.slice(from, end))
      const line = pieces.join("")
      pieces = []
      from = end + 1
      if (line !== "") onLine(line)
    }
    if (from < chunk.length) pieces.push(chunk.slice(from))
  })
  process.stdin.on("end", onEnd)
}

export interface Frame {
  id?: string
  event?: string
  data: string
}

/** Frames of an SSE response, as a browser would see them. */
export async function* sseEvents(response: Response): AsyncGenerator<Frame> {
  const decoder = new TextDecoder()
  let buffer = ""
  for await (const chunk of response.body ?? []) {
    buffer += decoder.decode(chunk, { stream: true })
    let end = buffer.indexOf("\n\n")
    while (end >= 0) {
      const frame = parse(buffer.slice(0, end))
      buffer = buffer.slice(end + 2)
      end = buffer.indexOf("\n\n")
      if (frame !== undefined) yield frame
    }
  }
}

function parse(text: string): Frame | undefined {
  const frame: Frame = { data: "" }
  const data: string[] = []
  for (const line of text.split("\n")) {
    if (line.startsWith(":")) continue
    const [, field = "", value = ""] = /^([^:]*):? ?(.*)$/.exec(line) ?? []
    if (field === "data") data.push(value)
    else if (field === "id") frame.id = value
    else if (field === "event") frame.event = value
  }
  if (data.length === 0) return undefined
  return { ...frame, data: data.join("\n") }
}

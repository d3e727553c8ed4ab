import { ResponseBody } from "./body.ts"
import { rawRequest } from "./request.ts"

export interface Frame {
  id: number
  data: string
}

export interface FrameStream {
  status: number
  close(): void
}

/** One SSE stream read frame by frame, for cases that look into events; resolves when the answer's head is here. */
export async function openFrames(
  at: { port: number; path: string; token?: string; headers?: string[] },
  onFrame: (frame: Frame) => void,
): Promise<FrameStream> {
  const opened = Promise.withResolvers<FrameStream>()
  const decoder = new TextDecoder()
  let text = ""
  const body = new ResponseBody((bytes, start, end) => {
    text += decoder.decode(bytes.subarray(start, end), { stream: true })
    let from = 0
    for (let stop = text.indexOf("\n\n"); stop >= 0; stop = text.indexOf("\n\n", from)) {
      take(text.slice(from, stop))
      from = stop + 2
    }
    text = text.slice(from)
  })
  const take = (block: string): void => {
    const data = /^data: ?(.*)$/m.exec(block)?.[1]
    if (data !== undefined) onFrame({ id: Number(/^id: ?(\d+)$/m.exec(block)?.[1]), data })
  }
  await Bun.connect({
    hostname: "127.0.0.1",
    port: at.port,
    socket: {
      open: (socket) => {
        const headers = ["Accept: text/event-stream", ...(at.headers ?? [])]
        socket.write(rawRequest("GET", at.path, at.port, at.token, headers))
      },
      data: (socket, bytes) => {
        body.push(bytes)
        if (body.status !== 0) opened.resolve({ status: body.status, close: () => socket.end() })
      },
      close: () => opened.reject(new Error("the stream was closed before it answered")),
    },
  })
  return opened.promise
}

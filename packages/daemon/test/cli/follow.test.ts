import { createServer, type Server, type Socket } from "node:net"
import { SandboxAgentError } from "@sandbox-agent/schema/error"
import { describe, expect, test } from "vitest"
import type { Call } from "../../src/cli/client.ts"
import { follow } from "../../src/cli/follow.ts"

const request: Call = { method: "GET", path: "/v1/sessions/s/events/sse" }
const head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
const chunk = (text: string): string => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`
const frame = (id: number): string => `id: ${id}\ndata: ${id}\n\n`
const end = "0\r\n\r\n"

type Answer = (socket: Socket) => void

/** Raw sockets, since no HTTP server breaks off in the middle on purpose. Each connection gets the next answer. */
async function raw(answers: Answer[]) {
  const heads: string[] = []
  const sockets: Socket[] = []
  const server: Server = createServer((socket) => {
    sockets.push(socket)
    socket.on("error", () => {})
    socket.once("data", (data) => {
      heads.push(String(data))
      const answer = answers[heads.length - 1]
      if (answer) answer(socket)
      else socket.destroy()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as { port: number }
  return {
    endpoint: `http://127.0.0.1:${port}`,
    token: undefined,
    lastIds: () => heads.map((text) => /^last-event-id: (.*)$/im.exec(text)?.[1]?.trim()),
    cut: () => sockets.at(-1)?.destroy(),
    [Symbol.dispose]: () => void server.close(),
  }
}

const part =
  (text: string): Answer =>
  (socket) =>
    void socket.write(head + chunk(text))
const whole =
  (text: string): Answer =>
  (socket) =>
    void socket.end(head + chunk(text) + end)
const nothing: Answer = (socket) => void socket.write(head, () => socket.destroy())

/** Reads all; the connection is cut when the frames named in `cutAfter` have been seen, not before. */
async function read(
  server: Awaited<ReturnType<typeof raw>>,
  options: { reconnect: boolean; delays?: number[] },
  cutAfter: string[] = [],
) {
  const seen: string[] = []
  for await (const one of follow(server, request, options)) {
    seen.push(one.data)
    if (cutAfter.includes(one.data)) server.cut()
  }
  return seen
}

describe("a stream that breaks", () => {
  test("is taken up after the last event, without gap or duplicate", async () => {
    using server = await raw([part(frame(1) + frame(2)), nothing, part(`${frame(3)}id: 4\nda`), whole(frame(4))])
    expect(await read(server, { reconnect: true, delays: [1, 1, 1] }, ["2", "3"])).toEqual(["1", "2", "3", "4"])
    expect(server.lastIds()).toEqual([undefined, "2", "2", "3"])
  })

  test("is not taken up with --no-follow", async () => {
    using server = await raw([part(frame(1))])
    await expect(read(server, { reconnect: false }, ["1"])).rejects.toMatchObject({ code: "stream_error" })
    expect(server.lastIds()).toHaveLength(1)
  })

  test("is given up after so many attempts without an event", async () => {
    using server = await raw([part(frame(1))])
    await expect(read(server, { reconnect: true, delays: [1, 1, 1] }, ["1"])).rejects.toSatisfy(SandboxAgentError.is)
    expect(server.lastIds()).toEqual([undefined, "1", "1", "1"])
  })

  test("an event makes the attempts count anew", async () => {
    const ids = [1, 2, 3, 4, 5, 6]
    using server = await raw([...ids.map((id) => part(frame(id))), whole(frame(7))])
    expect(await read(server, { reconnect: true, delays: [1, 1] }, ids.map(String))).toEqual([...ids, 7].map(String))
  })
})

test("the end of a stream is its end", async () => {
  using server = await raw([whole(frame(1))])
  expect(await read(server, { reconnect: true, delays: [1] })).toEqual(["1"])
  expect(server.lastIds()).toHaveLength(1)
})

test("an answer that says no is not asked again", async () => {
  const gone = JSON.stringify({
    type: "urn:sandbox-agent:error:gone",
    title: "Gone",
    status: 410,
    detail: "below retention",
  })
  const refuse = (socket: Socket): void =>
    void socket.end(`HTTP/1.1 410 Gone\r\ncontent-length: ${gone.length}\r\n\r\n${gone}`)
  using server = await raw([part(frame(1)), refuse])
  await expect(read(server, { reconnect: true, delays: [1, 1, 1] }, ["1"])).rejects.toMatchObject({ code: "gone" })
  expect(server.lastIds()).toHaveLength(2)
})

test("a first connection that fails is not tried again", async () => {
  using server = await raw([])
  await expect(read(server, { reconnect: true, delays: [1, 1, 1] })).rejects.toMatchObject({ code: "unavailable" })
  expect(server.lastIds()).toHaveLength(1)
})

import { limits } from "@sandbox-agent/schema/limits"
import { expect, test } from "vitest"
import { startDaemon, type TestDaemon } from "../harness/daemon.ts"
import type { Message } from "./wire.ts"

/** A bare WebSocket: what it was told, and how it ended. */
class Wired {
  readonly messages: Message[] = []
  readonly socket: WebSocket
  readonly closed: Promise<{ code: number; reason: string }>
  readonly opened: Promise<boolean>
  readonly #wake = new Set<() => void>()

  constructor(daemon: TestDaemon, headers: Record<string, string> = {}, protocols?: string[]) {
    const url = `${daemon.url.replace(/^http/, "ws")}/v1/rpc?agent=mock`
    this.socket = new WebSocket(url, { headers, protocols } as unknown as string[])
    this.socket.onmessage = ({ data }) => {
      this.messages.push(JSON.parse(String(data)))
      for (const wake of [...this.#wake]) wake()
      this.#wake.clear()
    }
    this.opened = new Promise((resolve) => {
      this.socket.onopen = () => resolve(true)
      this.socket.onerror = () => resolve(false)
    })
    this.closed = new Promise((resolve) => {
      this.socket.onclose = ({ code, reason }) => resolve({ code, reason })
    })
  }

  async say(message: unknown): Promise<void> {
    await this.opened
    this.socket.send(typeof message === "string" ? message : JSON.stringify(message))
  }

  async until(condition: (message: Message) => boolean): Promise<Message> {
    for (;;) {
      const found = this.messages.find(condition)
      if (found !== undefined) return found
      await new Promise<void>((resolve) => this.#wake.add(resolve))
    }
  }
}

const authorized = (daemon: TestDaemon) => ({ authorization: `Bearer ${daemon.token}` })
const initialize = { jsonrpc: "2.0", id: 0, method: "initialize", params: { protocolVersion: 1 } }

test("the first message must be initialize, with an id; anything else ends the socket", async () => {
  await using daemon = await startDaemon()
  for (const message of [
    { jsonrpc: "2.0", id: 1, method: "session/list" },
    { ...initialize, id: null },
  ]) {
    const wired = new Wired(daemon, authorized(daemon))
    await wired.say(message)
    expect((await wired.closed).code).toBe(1002)
  }
})

test("what is no message gets its error and changes nothing, before and after initialize", async () => {
  await using daemon = await startDaemon()
  const wired = new Wired(daemon, authorized(daemon))
  await wired.say("{")
  await wired.say("[]")
  await wired.say("7")
  await wired.say({ jsonrpc: "2.0", id: 5, result: {} })
  await wired.say(initialize)
  await wired.until(({ id }) => id === 0)
  expect(wired.messages.map(({ error, id }) => [id, error?.code])).toEqual([
    [null, -32700],
    [null, -32600],
    [null, -32600],
    [0, undefined],
  ])
  await wired.say({ ...initialize, id: 9 })
  expect((await wired.until(({ id }) => id === 9)).error?.code).toBe(-32600)
  await wired.say({ jsonrpc: "2.0", id: 10, method: "session/list" })
  expect((await wired.until(({ id }) => id === 10)).result).toEqual({ sessions: [] })
  wired.socket.close()
})

test("an initialize that cannot be meant is answered, and the socket ends", async () => {
  await using daemon = await startDaemon()
  const wired = new Wired(daemon, authorized(daemon))
  await wired.say({ ...initialize, params: {} })
  expect((await wired.closed).code).toBe(1011)
  expect(wired.messages[0]?.error?.code).toBe(-32602)
})

test("a page without headers gives its token among the subprotocols; without one nobody gets in", async () => {
  await using daemon = await startDaemon()
  const coded = Buffer.from(daemon.token).toString("base64url")
  const page = new Wired(daemon, {}, ["acp", `sandboxagent.token.${coded}`])
  await page.say(initialize)
  await page.until(({ id }) => id === 0)
  expect(page.socket.protocol).toBe("acp")
  page.socket.close()
  expect(await new Wired(daemon).opened).toBe(false)
  expect(await new Wired(daemon, {}, ["acp", `sandboxagent.token.x${coded}`]).opened).toBe(false)
  expect(await new Wired(daemon, { ...authorized(daemon), origin: "https://evil.example" }).opened).toBe(false)
})

test("a socket that drops leaves the turn alone, and another can load the session", async () => {
  await using daemon = await startDaemon()
  await daemon.api.create("one")
  const first = new Wired(daemon, authorized(daemon))
  await first.say(initialize)
  const prompt = { sessionId: "one", prompt: [{ type: "text", text: "/flood 100 100" }] }
  await first.say({ jsonrpc: "2.0", id: 1, method: "session/prompt", params: prompt })
  await first.until(({ params }) => JSON.stringify(params ?? {}).includes("agent_message_chunk"))
  first.socket.terminate()
  const ended = await daemon.api.until("one", "turn.ended")
  expect(ended.data.stop_reason).toBe("end_turn")
  const second = new Wired(daemon, authorized(daemon))
  await second.say(initialize)
  await second.say({
    jsonrpc: "2.0",
    id: 1,
    method: "session/load",
    params: { sessionId: "one", cwd: "/", mcpServers: [] },
  })
  await second.until(({ id }) => id === 1)
  expect(second.messages.some((message) => JSON.stringify(message).includes("agent_message_chunk"))).toBe(true)
  second.socket.close()
})

test("the daemon's end closes sockets, and its answer to a running prompt comes first", async () => {
  await using daemon = await startDaemon()
  await daemon.api.create("one")
  const wired = new Wired(daemon, authorized(daemon))
  await wired.say(initialize)
  const prompt = { sessionId: "one", prompt: [{ type: "text", text: "/sleep 60000" }] }
  await wired.say({ jsonrpc: "2.0", id: 1, method: "session/prompt", params: prompt })
  await daemon.api.until("one", "turn.started")
  await daemon.stop()
  await wired.closed
  expect(wired.messages.find(({ id }) => id === 1)?.error).toMatchObject({ data: { code: "daemon_stopping" } })
})

test("requestBodyDepth: a deeper message is refused under its id, and the socket goes on", async () => {
  await using daemon = await startDaemon()
  const wired = new Wired(daemon, authorized(daemon))
  await wired.say(initialize)
  await wired.until(({ id }) => id === 0)
  const nested = (depth: number) => `${"[".repeat(depth)}${"]".repeat(depth)}`
  const call = (id: number, depth: number) =>
    `{"jsonrpc":"2.0","id":${id},"method":"session/list","params":{"_meta":{"a":${nested(depth)}}}}`
  // Three levels are around it.
  await wired.say(call(1, limits.requestBodyDepth - 3))
  await wired.say(call(2, limits.requestBodyDepth - 2))
  await wired.say(call(3, 1_000_000))
  await wired.say(nested(1_000_000))
  await wired.say(call(4, 1))
  await wired.until(({ id }) => id === 4)
  const reported = (wanted: number | null) => wired.messages.find(({ id }) => id === wanted)
  expect(reported(1)).toMatchObject({ result: { sessions: [] } })
  for (const id of [2, 3, null])
    expect(reported(id)).toMatchObject({ error: { code: -32600, message: expect.stringContaining("nested deeper") } })
})

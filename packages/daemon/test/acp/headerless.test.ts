import { acpLimits } from "@sandbox-agent/schema/acp-limits"
import { expect, test } from "vitest"
import { startDaemon } from "../harness/daemon.ts"
import { metricBecomes } from "../streaming/raw-stream.ts"
import { saidIn, text, Wire } from "./wire.ts"

test.each(["/v1/rpc", "/v2/rpc", "/v1/acp/mine"])(
  "%s without headers: answers in the body and on the stream",
  async (path) => {
    await using daemon = await startDaemon()
    const wire = new Wire(daemon, path)
    const stream = await wire.stream() // before anybody initialized: open and silent
    await wire.initialize()
    const created = await wire.ask("session/new", { cwd: "/tmp", mcpServers: [] }, 5)
    const sessionId = String(created.result?.sessionId)
    expect(await stream.until(({ id }) => id === 5)).toEqual(created)
    const answer = await wire.ask("session/prompt", { sessionId, prompt: text("hello") }, 6)
    expect(answer).toMatchObject({ id: 6, result: { stopReason: "end_turn" } })
    expect(await stream.until(({ id }) => id === 6)).toEqual(answer)
    // By name, for those who would take it from there before the updates that came with it: they have it in the body.
    const place = stream.received.find(({ message }) => message.id === 6)?.id ?? ""
    expect([stream.names.get(place), stream.names.size]).toEqual(["answer", 2])
    expect(await wire.remove()).toBe(204)
    await stream.ended
    expect(await wire.remove()).toBe(404)
    expect((await daemon.api.session(sessionId)).status).toBe("idle")
  },
)

test("the agent is named in the parameters, else in the address, else by the daemon's default", async () => {
  await using daemon = await startDaemon({ flags: ["--default-agent", "mock"] })
  const plain = new Wire(daemon)
  const params = { cwd: "/tmp", mcpServers: [] }
  expect((await plain.ask("session/new", params)).result).toMatchObject({
    _meta: { "sandboxagent.dev": { agent: "mock" } },
  })
  const named = new Wire(daemon, "/v1/rpc?agent=nobody")
  const refused = await named.ask("session/new", params)
  expect(refused.error).toMatchObject({ code: -32602, data: { agents: expect.arrayContaining(["mock"]) } })
  const meta = { _meta: { "sandboxagent.dev": { agent: "mock" } } }
  expect((await named.ask("session/new", { ...params, ...meta })).result).toBeDefined()
  const begun = await named.post({ jsonrpc: "2.0", id: 1, method: "initialize", params: { protocolVersion: 1 } })
  expect(begun.body.error).toMatchObject({ code: -32602, data: { agents: expect.arrayContaining(["mock"]) } })
})

test("what cannot be meant gets the code of JSON-RPC, with the place", async () => {
  await using daemon = await startDaemon()
  const wire = new Wire(daemon)
  const error = async (message: unknown) => {
    const { status, body } = await wire.post(message)
    return { status, code: body.error?.code, id: body.id, message: body.error?.message }
  }
  expect(await error("{")).toMatchObject({
    status: 400,
    code: -32700,
    id: null,
    message: expect.stringContaining("line 1"),
  })
  expect(await error("[]")).toMatchObject({ status: 400, code: -32600, id: null })
  expect(await error("7")).toMatchObject({ status: 400, code: -32600 })
  expect(await error({ id: 3, method: "session/list" })).toMatchObject({ status: 400, code: -32600, id: 3 })
  expect(await error({ jsonrpc: "2.0", id: {}, method: "x" })).toMatchObject({ status: 400, code: -32600, id: null })
  const [largest, rounded] = [
    Number.MAX_SAFE_INTEGER,
    '{"jsonrpc":"2.0","id":9007199254740993,"method":"session/list"}',
  ]
  expect(await error({ jsonrpc: "2.0", id: largest, method: "no/such" })).toMatchObject({ status: 200, id: largest })
  expect(await error(rounded)).toMatchObject({ status: 400, code: -32600, id: null })
  expect(await error({ jsonrpc: "2.0", id: 4, method: 5 })).toMatchObject({ status: 400, code: -32600, id: 4 })
  expect(await error({ jsonrpc: "2.0", id: 0, method: "no/such" })).toMatchObject({ status: 200, code: -32601, id: 0 })
  const bad = { jsonrpc: "2.0", id: "five", method: "session/prompt", params: { sessionId: "x" } }
  expect(await error(bad)).toMatchObject({ status: 200, code: -32002, id: "five" })
  await wire.initialize()
  await wire.create("one")
  const prompt = (value: unknown) => ({
    jsonrpc: "2.0",
    id: 1,
    method: "session/prompt",
    params: { sessionId: "one", prompt: value },
  })
  expect(await error(prompt(undefined))).toMatchObject({ code: -32602, message: expect.stringContaining("prompt") })
  expect(await error(prompt([{ type: "text" }]))).toMatchObject({
    code: -32602,
    message: expect.stringContaining("prompt[0].text"),
  })
  const list = { jsonrpc: "2.0", id: 1, method: "session/list", params: { cursor: "x" } }
  expect(await error(list)).toMatchObject({ code: -32602, message: expect.stringContaining("cursor") })
})

test("an initialize that is no request of JSON-RPC is told what is wrong with it", async () => {
  await using daemon = await startDaemon()
  const params = { protocolVersion: 1 }
  for (const wire of [new Wire(daemon), new Wire(daemon, "/v1/acp/named")])
    for (const [message, id, why] of [
      [{ jsonrpc: "1.0", id: 1, method: "initialize", params }, 1, "jsonrpc"],
      [{ id: "a", method: "initialize", params }, "a", "jsonrpc"],
      [{ jsonrpc: "2.0", id: "x".repeat(acpLimits.idChars + 1), method: "initialize", params }, null, "id: "],
      [{ jsonrpc: "2.0", id: 1, method: "initialize", params: 7 }, 1, "params"],
    ] as const) {
      const { status, body } = await wire.post(message)
      expect({ status, id: body.id, code: body.error?.code }).toEqual({ status: 400, id, code: -32600 })
      expect(body.error?.message).toContain(why)
    }
})

test("the token, Host and Origin are asked for as everywhere", async () => {
  await using daemon = await startDaemon()
  const stranger = new Wire({ url: daemon.url, token: "wrong" })
  expect((await stranger.post({ jsonrpc: "2.0", id: 1, method: "initialize" })).status).toBe(401)
  expect((await stranger.stream()).status).toBe(401)
  const page = await new Wire(daemon).post(
    { jsonrpc: "2.0", id: 1, method: "initialize" },
    { origin: "https://evil.example" },
  )
  expect(page.status).toBe(403)
})

test("`Prefer: respond-async` leaves the answer to the stream", async () => {
  await using daemon = await startDaemon()
  const wire = new Wire(daemon, "/v1/acp/async")
  const stream = await wire.stream()
  await wire.initialize()
  await wire.create("one")
  const message = {
    jsonrpc: "2.0",
    id: 8,
    method: "session/prompt",
    params: { sessionId: "one", prompt: text("later") },
  }
  const posted = await wire.post(message, { prefer: "respond-async" })
  expect([posted.status, posted.text]).toEqual([202, ""])
  expect((await stream.until(({ id }) => id === 8)).result).toMatchObject({ stopReason: "end_turn" })
})

test("`$/cancel_request` takes back a queued prompt alone, or ends the turn of a running one", async () => {
  await using daemon = await startDaemon()
  const wire = new Wire(daemon)
  await wire.initialize()
  await wire.create("one")
  const prompt = (id: number, words: string) =>
    wire.ask("session/prompt", { sessionId: "one", prompt: text(words) }, id)
  const running = prompt(11, "/sleep 60000")
  await daemon.api.until("one", "turn.started")
  const queued = prompt(12, "never")
  await daemon.api.until("one", "message.updated", ({ data }) => data.position === 1)
  const cancel = (requestId: number) => wire.post({ jsonrpc: "2.0", method: "$/cancel_request", params: { requestId } })
  expect((await cancel(12)).status).toBe(202)
  expect(await queued).toMatchObject({ id: 12, result: { stopReason: "cancelled" } })
  expect((await daemon.api.session("one")).status).toBe("running")
  await cancel(11)
  expect(await running).toMatchObject({ id: 11, result: { stopReason: "cancelled" } })
})

test("GET /v1/acp lists the connections that have a name; a bad name is refused", async () => {
  await using daemon = await startDaemon()
  for (const name of ["first", "second"]) await new Wire(daemon, `/v1/acp/${name}`).initialize()
  const { servers } = await daemon.api.ok<{ servers: { serverId: string; agent: string; createdAtMs: number }[] }>(
    "GET",
    "/v1/acp",
  )
  expect(servers.map(({ serverId, agent }) => [serverId, agent])).toEqual([
    ["first", "mock"],
    ["second", "mock"],
  ])
  expect(servers[0]?.createdAtMs).toBeGreaterThan(0)
  await new Wire(daemon, "/v1/acp/first").remove()
  expect((await daemon.api.ok<{ servers: unknown[] }>("GET", "/v1/acp")).servers).toHaveLength(1)
  expect((await daemon.api.call("POST", "/v1/acp/a%20b", {})).status).toBe(400)
  expect((await daemon.api.call("PUT", "/v1/acp/first", {})).status).toBe(405)
  expect((await daemon.api.call("POST", "/v1/acp", {})).status).toBe(405)
})

test("whoever opens the stream anew is asked what its sessions still ask", async () => {
  await using daemon = await startDaemon()
  const wire = new Wire(daemon)
  const stream = await wire.stream()
  await wire.initialize()
  await wire.create("one")
  const prompted = wire.ask("session/prompt", { sessionId: "one", prompt: text("/permission echo yes") })
  const asked = await stream.until(({ method }) => method === "session/request_permission")
  await stream.cut()
  // The reader that was cut has to be noticed to be gone.
  await metricBecomes(daemon, "streams_open", 0)
  const again = await wire.stream()
  const repeated = await again.until(({ method }) => method === "session/request_permission")
  expect(repeated).toEqual(asked)
  await wire.post({
    jsonrpc: "2.0",
    id: repeated.id,
    result: { outcome: { outcome: "selected", optionId: "allow_once" } },
  })
  expect((await prompted).result).toMatchObject({ stopReason: "end_turn" })
})

test("a session that was deleted while its client was away is told to have ended", async () => {
  await using daemon = await startDaemon()
  const wire = new Wire(daemon)
  const stream = await wire.stream()
  await wire.initialize()
  await wire.create("one")
  await stream.until(({ result }) => result?.sessionId === "one")
  const { lastId } = stream
  await stream.cut()
  await metricBecomes(daemon, "streams_open", 0)
  await daemon.api.ok("DELETE", "/v1/sessions/one")
  const again = await wire.stream({ "last-event-id": lastId })
  const ended = await again.until(({ method }) => method === "_sandboxagent/session/ended")
  expect(ended.params).toMatchObject({ sessionId: "one" })
})

test("a stream that is cut before its first message tells where it began, and nothing said meanwhile is lost", async () => {
  await using daemon = await startDaemon()
  const wire = new Wire(daemon)
  await wire.initialize()
  await wire.create("cut-early")
  const abort = new AbortController()
  const headers = { authorization: `Bearer ${daemon.token}`, accept: "text/event-stream" }
  const response = await fetch(`${daemon.url}/v1/rpc`, { headers, signal: abort.signal })
  const first = await response.body?.getReader().read()
  abort.abort()
  const began = /^id: (\d+\.\d+)$/m.exec(new TextDecoder().decode(first?.value))?.[1] ?? ""
  await wire.ask("session/prompt", { sessionId: "cut-early", prompt: text("said meanwhile") })
  const again = await wire.stream({ "last-event-id": began })
  await again.until(({ result }) => result?.stopReason === "end_turn")
  expect(saidIn(again.messages)).toBe("said meanwhile")
  await again.cut()
})

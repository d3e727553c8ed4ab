import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { AcpHttpClient, type AcpHttpClientOptions, AcpRpcError, type Envelope } from "../src/acp-http-client.ts"
import { collect, promptOf, textOf } from "./reading.ts"
import { type ServerProcess, startSdkServer } from "./servers/process.ts"

let server: ServerProcess
beforeAll(async () => {
  server = await startSdkServer()
})
afterAll(() => server.stop())

async function connect(options: Partial<AcpHttpClientOptions> = {}) {
  const client = new AcpHttpClient({ url: server.url, ...options })
  await client.initialize()
  const { sessionId } = await client.newSession({ cwd: "/", mcpServers: [] })
  return { client, sessionId }
}

describe("against the official server", () => {
  test("a turn with its updates in order", async () => {
    const { client, sessionId } = await connect()
    const updates = client.updates(sessionId)
    const { stopReason } = await client.prompt(promptOf(sessionId, "say 50"))
    expect(stopReason).toBe("end_turn")
    expect((await collect(updates, 50)).map(textOf)).toEqual(Array.from({ length: 50 }, (_, at) => `${at}`))
    await client.close()
    expect(await client.closed).toBeUndefined()
    expect(await updates.next()).toEqual({ done: true, value: undefined })
  })

  test("initialize tells who the agent is", async () => {
    await using client = new AcpHttpClient({ url: server.url })
    const { agentInfo, protocolVersion } = await client.initialize({ clientInfo: { name: "test", version: "1" } })
    expect([agentInfo?.name, protocolVersion]).toEqual(["demo", 1])
  })

  test("sessions do not mix, a reader of all sees both", async () => {
    const { client, sessionId } = await connect()
    const other = (await client.newSession({ cwd: "/", mcpServers: [] })).sessionId
    const all = client.updates()
    const [one, two] = [client.updates(sessionId), client.updates(other)]
    await Promise.all([client.prompt(promptOf(sessionId, "say 3")), client.prompt(promptOf(other, "say 4"))])
    expect((await collect(one, 3)).every((update) => update.sessionId === sessionId)).toBe(true)
    expect((await collect(two, 4)).every((update) => update.sessionId === other)).toBe(true)
    expect(await collect(all, 7)).toHaveLength(7)
    await client.close()
  })

  test("a permission is answered by its handler, with the session the server wants to see", async () => {
    const asked: unknown[] = []
    const { client, sessionId } = await connect({
      handlers: {
        "session/request_permission": (params) => {
          asked.push(params.options[0]?.optionId)
          return { outcome: { outcome: "selected", optionId: "yes" } }
        },
      },
    })
    const updates = client.updates(sessionId)
    await client.prompt(promptOf(sessionId, "ask"))
    expect(asked).toEqual(["yes"])
    const [answer] = await collect(updates, 1)
    expect(JSON.parse(textOf(answer))).toEqual({ outcome: { outcome: "selected", optionId: "yes" } })
    await client.close()
  })

  test("elicitation, files and extensions have handlers too", async () => {
    const reported: string[] = []
    const { client, sessionId } = await connect({
      handlers: {
        "elicitation/create": () => ({ action: "accept", content: { name: "Ada" } }),
        "fs/read_text_file": ({ path }) => ({ content: `content of ${path}` }),
        "_demo/ask": (params) => ({ got: params }),
      },
      onNotification: ({ method }) => reported.push(method),
    })
    const updates = client.updates(sessionId)
    for (const words of ["form", "read /a", "ext"]) await client.prompt(promptOf(sessionId, words))
    const [form, read, ext] = (await collect(updates, 3)).map(textOf)
    expect(JSON.parse(form ?? "")).toEqual({ action: "accept", content: { name: "Ada" } })
    expect(read).toBe("content of /a")
    expect(JSON.parse(ext ?? "")).toEqual({ got: { sessionId, n: 1 } })
    expect(reported).toContain("_demo/told")
    await client.close()
  })

  test("what nobody handles is answered -32601, a handler's error with its own code", async () => {
    const { client, sessionId } = await connect()
    const updates = client.updates(sessionId)
    await client.prompt(promptOf(sessionId, "read /a"))
    expect(textOf((await collect(updates, 1))[0])).toBe("-32601")
    await client.close()
    const refusing = await connect({
      handlers: {
        "fs/read_text_file": () => {
          throw new AcpRpcError(-32002, "no such file")
        },
      },
    })
    const more = refusing.client.updates()
    await refusing.client.prompt(promptOf(refusing.sessionId, "read /a"))
    expect(textOf((await collect(more, 1))[0])).toBe("-32002")
    await refusing.client.close()
  })

  test("a star handler takes what no other does", async () => {
    const { client, sessionId } = await connect({ handlers: { "*": (_, { method }) => ({ content: method }) } })
    const updates = client.updates(sessionId)
    await client.prompt(promptOf(sessionId, "read /a"))
    expect(textOf((await collect(updates, 1))[0])).toBe("fs/read_text_file")
    await client.close()
  })

  test("cancel ends the turn; open permissions are answered cancelled", async () => {
    const asked = Promise.withResolvers<AbortSignal>()
    const { client, sessionId } = await connect({
      handlers: {
        "session/request_permission": (_, { signal }) => {
          asked.resolve(signal)
          return new Promise(() => undefined)
        },
      },
    })
    const updates = client.updates(sessionId)
    const turn = client.prompt(promptOf(sessionId, "ask"))
    const signal = await asked.promise
    await client.cancel({ sessionId })
    expect(await turn).toMatchObject({ stopReason: "cancelled" })
    expect(signal.aborted).toBe(true)
    expect(textOf((await collect(updates, 1))[0])).toBe('{"outcome":{"outcome":"cancelled"}}')
    await client.close()
  })

  test("aborting a prompt rejects at once and cancels the turn", async () => {
    const { client, sessionId } = await connect()
    const sent: string[] = []
    const abort = new AbortController()
    const watched = new AcpHttpClient({
      url: server.url,
      onEnvelope: (envelope: Envelope) => sent.push("method" in envelope ? envelope.method : "answer"),
    })
    await watched.initialize()
    const mine = await watched.newSession({ cwd: "/", mcpServers: [] })
    const turn = watched.prompt(promptOf(mine.sessionId, "wait"), { signal: abort.signal })
    await expect.poll(() => sent.includes("session/prompt"), { timeout: 30_000 }).toBe(true)
    abort.abort(new Error("enough"))
    await expect(turn).rejects.toMatchObject({ kind: "aborted", name: "AbortError" })
    await expect.poll(() => sent.includes("session/cancel"), { timeout: 30_000 }).toBe(true)
    expect(await watched.prompt(promptOf(mine.sessionId, "say 1"))).toMatchObject({ stopReason: "end_turn" })
    expect(await client.prompt(promptOf(sessionId, "say 1"))).toMatchObject({ stopReason: "end_turn" })
    await watched.close()
    await client.close()
  })

  test("$/cancel_request goes out for other requests, and comes in for handlers", async () => {
    const answers: unknown[] = []
    const aborted = Promise.withResolvers<void>()
    const accepted = Promise.withResolvers<void>()
    const { client, sessionId } = await connect({
      fetch: async (url, init) => {
        const response = await fetch(url, init)
        if (`${init?.body}`.includes("_demo/slow")) accepted.resolve()
        return response
      },
      onEnvelope: (envelope, direction) => {
        if (direction === "inbound" && "result" in envelope) answers.push(envelope.result)
      },
      handlers: {
        "session/request_permission": async (params, { signal }) => {
          signal.addEventListener("abort", () => aborted.resolve())
          await client.extNotification("_demo/asked", { sessionId: params.sessionId })
          return new Promise(() => undefined)
        },
      },
    })
    const abort = new AbortController()
    const slow = client.extMethod("_demo/slow", {}, { signal: abort.signal })
    // One that has not arrived could not be cancelled.
    await accepted.promise
    abort.abort()
    await expect(slow).rejects.toMatchObject({ kind: "aborted" })
    await expect.poll(() => answers, { timeout: 30_000 }).toContainEqual({ aborted: true })
    const updates = client.updates(sessionId)
    await client.prompt(promptOf(sessionId, "withdraw"))
    await aborted.promise
    expect(textOf((await collect(updates, 1))[0])).toBe("-32800")
    await client.close()
  })

  test("loading a session brings its history before the result", async () => {
    await using client = new AcpHttpClient({ url: server.url })
    await client.initialize()
    const updates = client.updates("old")
    await client.loadSession({ sessionId: "old", cwd: "/", mcpServers: [] })
    expect(textOf((await collect(updates, 1))[0])).toBe("from history")
  })

  test("closing a session ends its readers, not the others", async () => {
    const { client, sessionId } = await connect()
    const [mine, all] = [client.updates(sessionId), client.updates()]
    await client.closeSession({ sessionId })
    expect(await mine.next()).toEqual({ done: true, value: undefined })
    const next = await client.newSession({ cwd: "/", mcpServers: [] })
    await client.prompt(promptOf(next.sessionId, "say 1"))
    expect((await all.next()).done).toBe(false)
    await client.close()
  })

  test("an error of the agent is an AcpRpcError", async () => {
    const { client } = await connect()
    await expect(client.extMethod("_demo/none", { a: 1 })).rejects.toMatchObject({
      kind: "rpc",
      code: -32601,
      data: { method: "_demo/none" },
    })
    expect(await client.extMethod("_demo/echo", { a: 1 })).toEqual({ echoed: { a: 1 } })
    await client.close()
  })

  test("raw envelopes go through send and onEnvelope", async () => {
    const seen: Envelope[] = []
    const client = new AcpHttpClient({
      url: server.url,
      handlers: "manual",
      onEnvelope: (envelope, direction) => {
        if (direction !== "inbound") return
        seen.push(envelope)
        if ("method" in envelope && "id" in envelope && envelope.method === "session/request_permission")
          void client.send({ jsonrpc: "2.0", id: envelope.id, result: { outcome: { outcome: "cancelled" } } })
      },
    })
    await client.send({ jsonrpc: "2.0", id: 1, method: "initialize", params: { protocolVersion: 1 } })
    await client.send({ jsonrpc: "2.0", id: "two", method: "session/new", params: { cwd: "/", mcpServers: [] } })
    const answer = (id: string | number) => seen.find((envelope) => !("method" in envelope) && envelope.id === id)
    await expect.poll(() => answer("two"), { timeout: 30_000 }).toBeDefined()
    const made = answer("two") as { result: { sessionId: string } }
    const prompt = promptOf(made.result.sessionId, "ask")
    await client.send({ jsonrpc: "2.0", id: 3, method: "session/prompt", params: prompt })
    await expect.poll(() => answer(3), { timeout: 30_000 }).toMatchObject({ result: { stopReason: "end_turn" } })
    await client.close()
  })

  test("a second close, a request after close, and initialize twice", async () => {
    const { client } = await connect()
    await expect(client.initialize()).rejects.toMatchObject({ kind: "state" })
    const open = client.extMethod("_demo/slow")
    open.catch(() => undefined)
    await Promise.all([client.close(), client.close()])
    await expect(open).rejects.toMatchObject({ kind: "closed" })
    await expect(client.listSessions()).rejects.toMatchObject({ kind: "closed" })
    await expect(client.send({ jsonrpc: "2.0", method: "x" })).rejects.toMatchObject({ kind: "closed" })
    await expect(new AcpHttpClient({ url: server.url }).listSessions()).rejects.toMatchObject({ kind: "state" })
  })

  test("the server has no connection left after close", async () => {
    let id = ""
    const client = new AcpHttpClient({
      url: server.url,
      fetch: async (url, init) => {
        const response = await fetch(url, init)
        id ||= response.headers.get("acp-connection-id") ?? ""
        return response
      },
    })
    await client.initialize()
    await client.close()
    const again = await fetch(server.url, { method: "DELETE", headers: { "acp-connection-id": id } })
    expect([id.length > 0, again.status]).toEqual([true, 404])
  })
})

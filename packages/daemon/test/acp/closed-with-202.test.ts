import { expect, test } from "vitest"
import { rawHttp } from "../api/raw-http.ts"
import { startDaemon } from "../harness/daemon.ts"

const ours = (given: object) => ({ _meta: { "sandboxagent.dev": { agent: "mock", ...given } } })

test("who closes its connection with the 202 may ask for what agents may not, by either form", async () => {
  await using daemon = await startDaemon()
  await daemon.api.create("first", { agent: "mock", directory: daemon.dataDir }) // from now on it matters who asks
  await daemon.api.turn("first", "hello")
  const post = (headers: Record<string, string>, message: object) =>
    rawHttp(daemon.url, {
      method: "POST",
      path: "/v1/rpc",
      headers: { ...daemon.api.headers, "content-type": "application/json", connection: "close", ...headers },
      body: JSON.stringify({ jsonrpc: "2.0", ...message }),
    })
  const begun = await post({}, { id: 0, method: "initialize", params: { protocolVersion: 1, ...ours({}) } })
  const connection = { "acp-connection-id": begun.headers.get("acp-connection-id") ?? "" }
  const bypassed = (name: string) =>
    expect
      .poll(() => daemon.api.call("GET", `/v1/sessions/${name}`), { interval: 5 })
      .toMatchObject({ status: 200, body: { permissionMode: "bypass" } })
  for (let n = 1; n <= 3; n++)
    for (const [form, headers] of Object.entries({ official: connection, headerless: { prefer: "respond-async" } })) {
      const id = (name: string) => `${name}-${form}-${n}`
      const ask = async (method: string, params: object) => {
        const named = { ...("sessionId" in params && { "acp-session-id": String(params.sessionId) }) }
        const all = form === "official" ? { ...headers, ...named } : headers
        const answer = await post(all, { id: id(method), method, params })
        expect([form, method, answer.status, answer.body]).toEqual([form, method, 202, ""])
      }
      const place = { cwd: daemon.dataDir, mcpServers: [] }
      const prompt = (name: string) => ours({ requestedSessionId: id(name), permissionMode: "bypass" })
      await ask("session/new", { ...place, ...prompt("new") })
      await bypassed(id("new"))
      await ask("session/fork", { sessionId: "first", ...place, ...prompt("fork") })
      await bypassed(id("fork"))
      await daemon.api.ok("PATCH", `/v1/sessions/${id("fork")}`, { permissionMode: "default" })
      await ask("session/set_config_option", { sessionId: id("fork"), configId: "permission_mode", value: "bypass" })
      await bypassed(id("fork"))
    }
}, 120_000)

import type { Event } from "@sandbox-agent/schema/event"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { startDaemon, type TestDaemon } from "../harness/daemon.ts"
import { inShell, ways } from "./agent-shell.ts"

const approver = new URL("./approver.ts", import.meta.url).pathname

let daemon: TestDaemon
beforeAll(async () => {
  daemon = await startDaemon()
  await daemon.api.create("spy", { permissionMode: "bypass" })
})
afterAll(() => daemon?.stop())

/** The words for an agent's shell that has the token. */
const asClient = (of: TestDaemon, ...args: string[]) =>
  [process.execPath, approver, of.url, of.token, ...args].map((word) => `'${word}'`).join(" ")

/** A session whose agent waits for leave, and what it waits for. */
async function waiting(of: TestDaemon, id: string, message = "/permission echo allowed"): Promise<string> {
  await of.api.create(id)
  await of.api.send(id, message)
  const asked = message.startsWith("/permission")
    ? (await of.api.until(id, "permission.requested")).data.permission_id
    : (await of.api.until(id, "question.requested")).data.question_id
  return asked
}

const errorsOf = (events: Event[]) => events.flatMap((event) => (event.type === "error" ? [event.data] : []))
const refused = (status: string) => expect(status).toMatch(/^403 .*permission_denied/)
const tried = (what: string) => ({
  code: "permission_denied",
  message: expect.stringMatching(new RegExp(`^process \\d+ \\(\\S+\\) of an agent tried to ${what}$`)),
})

for (const [name, way] of Object.entries(ways))
  test(`a process of an agent cannot answer a permission: ${name}`, async () => {
    const id = `waits-${Object.keys(ways).indexOf(name)}`
    const permission = await waiting(daemon, id)
    const reply = asClient(
      daemon,
      "http",
      "POST",
      `/v1/sessions/${id}/permissions/${permission}/reply`,
      '{"reply":"once"}',
    )
    refused(await inShell(daemon, "spy", `${reply}; ${reply}`, way))
    const events = await daemon.api.events(id)
    const program = expect.stringMatching(/^bun/)
    const [reported, ...more] = errorsOf(events)
    expect(reported).toMatchObject({ ...tried(`answer ${permission}`), details: { pid: expect.any(Number), program } })
    if (!name.startsWith("without any mark")) expect(reported).toMatchObject({ details: { owner: "session:spy" } })
    // Told once, however often it tries.
    expect(more).toEqual([])
    expect(events.filter(({ type }) => type === "permission.resolved")).toEqual([])
    await daemon.api.reply(id, { permission_id: permission } as never, "once")
    expect((await daemon.api.until(id, "permission.resolved")).data).toMatchObject({ status: "accept", by: "client" })
  })

test("an agent cannot answer what it asked itself, by what it left running before", async () => {
  const { api } = daemon
  await api.create("self", { permissionMode: "bypass" })
  const file = `${daemon.dataDir}/asked`
  const reply = asClient(daemon, "http", "POST", "/v1/sessions/self/permissions/$ID/reply", '{"reply":"always"}')
  const left = `while ! [ -s ${file} ]; do sleep 0.02; done; ID=$(cat ${file}); ${reply.replace("$ID", `'"$ID"'`)} >${file}.said`
  await inShell(daemon, "self", `setsid env -i sh -c ${JSON.stringify(left).replaceAll("$", "\\$")} >/dev/null 2>&1 &`)
  await api.change("self", { permissionMode: "default" })
  await api.send("self", "/permission echo allowed")
  const { data } = await api.until("self", "permission.requested")
  await Bun.write(file, data.permission_id)
  const error = await api.until("self", "error")
  expect(error.data).toMatchObject({ ...tried(`answer ${data.permission_id}`), details: { owner: "session:self" } })
  await api.reply("self", data, "reject")
})

test("an agent cannot answer questions", async () => {
  const question = await waiting(daemon, "questions", "/question")
  const at = `/v1/sessions/questions/questions/${question}`
  refused(await inShell(daemon, "spy", asClient(daemon, "http", "POST", `${at}/reply`, '{"answers":[["Yes"]]}')))
  refused(await inShell(daemon, "spy", asClient(daemon, "http", "POST", `${at}/reject`, "{}")))
  expect(errorsOf(await daemon.api.events("questions"))).toHaveLength(1)
})

test("an agent cannot loosen a permission mode, nor begin a session that asks less; it may tighten one", async () => {
  const call = (...args: string[]) => inShell(daemon, "spy", asClient(daemon, "http", ...args))
  const { api } = daemon
  await api.create("modes", { permissionMode: "plan" })
  await api.turn("modes", "hello")
  for (const mode of ["default", "acceptEdits", "bypass"]) {
    refused(await call("PATCH", "/v1/sessions/modes", JSON.stringify({ permissionMode: mode })))
    refused(await call("POST", "/v1/sessions/modes/fork", JSON.stringify({ id: "forked", permissionMode: mode })))
  }
  for (const mode of ["acceptEdits", "bypass"]) {
    const body = JSON.stringify({ agent: "mock", permissionMode: mode })
    refused(await call("POST", "/v1/sessions/bold", body))
    refused(await call("POST", "/v1/sessions", body))
  }
  const session = await api.session("modes")
  expect(session.permissionMode).toBe("plan")
  expect(errorsOf(await api.events("modes"))).toMatchObject([tried("change the permission mode to default")])
  await api.change("modes", { permissionMode: "bypass" })
  expect(await call("PATCH", "/v1/sessions/modes", '{"permissionMode":"default"}')).toMatch(/^200 /)
  expect(await call("POST", "/v1/sessions/meek", '{"agent":"mock"}')).toMatch(/^201 /)
})

test("an agent cannot bring MCP servers that are programs, which nobody would be asked for", async () => {
  const { api } = daemon
  await api.create("with-servers")
  await api.turn("with-servers", "hello")
  const call = (path: string, body: object) =>
    inShell(daemon, "spy", asClient(daemon, "http", "POST", path, JSON.stringify(body)))
  const program = { command: "touch", args: ["started"] }
  const bringing = /bring MCP servers that are programs/
  expect(await call("/v1/sessions", { agent: "mock", mcp: { program } })).toMatch(bringing)
  expect(await call("/v1/sessions/brought", { agent: "mock", mcp: { program } })).toMatch(bringing)
  expect(await call("/v1/sessions/with-servers/fork", { id: "forked", mcp: { program } })).toMatch(bringing)
  expect(await call("/v1/sessions/again/restore", { agent: "mock", items: [], mcp: { program } })).toMatch(bringing)
  const mcpServers = [{ name: "program", ...program, env: [] }]
  for (const [method, params] of [
    ["session/new", { cwd: "/" }],
    ["session/load", { cwd: "/", sessionId: "with-servers" }],
    ["session/fork", { cwd: "/", sessionId: "with-servers" }],
  ] as const) {
    const message = { jsonrpc: "2.0", id: 1, method, params: { ...params, mcpServers } }
    expect([method, await call("/v1/acp/servers?agent=mock", message)]).toEqual([
      method,
      expect.stringMatching(bringing),
    ])
  }
  const remote = { type: "http", url: "http://127.0.0.1:9/mcp" }
  expect(await call("/v1/sessions/remote", { agent: "mock", mcp: { remote } })).not.toMatch(bringing)
})

describe("over ACP", () => {
  test.each(["headerless", "official", "socket"])("%s: an agent's answer is refused", async (dialect) => {
    const id = `acp-${dialect}`
    const permission = await waiting(daemon, id)
    const said = await inShell(daemon, "spy", asClient(daemon, dialect, id, permission))
    expect(said).toContain(`of an agent tried to answer ${permission}`)
    expect(errorsOf(await daemon.api.events(id))).toMatchObject([tried(`answer ${permission}`)])
    expect((await daemon.api.session(id)).pending.permissions).toBe(1)
    // The same client, started by nobody's agent.
    const allowed = Bun.spawn([process.execPath, approver, daemon.url, daemon.token, dialect, id, permission])
    expect((await daemon.api.until(id, "permission.resolved")).data).toMatchObject({ status: "accept", by: "client" })
    allowed.kill()
  })

  test("an agent cannot loosen a permission mode nor begin a session that asks less", async () => {
    await daemon.api.create("acp-mode")
    const call = (method: string, params: object) =>
      inShell(
        daemon,
        "spy",
        asClient(
          daemon,
          "http",
          "POST",
          "/v1/acp/modes?agent=mock",
          JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
        ),
      )
    const ours = { _meta: { "sandboxagent.dev": { permissionMode: "bypass" } } }
    const sessionId = "acp-mode"
    for (const [method, params] of [
      ["session/set_config_option", { sessionId, configId: "permission_mode", value: "bypass" }],
      ["_sandboxagent/session/set_metadata", { sessionId, metadata: { permissionMode: "bypass" } }],
      ["session/new", { cwd: "/", mcpServers: [], ...ours }],
      ["session/fork", { sessionId, cwd: "/", mcpServers: [], ...ours }],
    ] as const)
      expect(await call(method, params)).toMatch(/of an agent tried to (change|begin)/)
    expect((await daemon.api.session(sessionId)).permissionMode).toBe("default")
  })
})

test("the same holds where no token is asked for", async () => {
  await using open = await startDaemon({ flags: ["--no-token"], env: { SANDBOX_AGENT_TOKEN: undefined as never } })
  await open.api.create("spy", { permissionMode: "bypass" })
  const permission = await waiting(open, "waits")
  const reply = asClient(open, "http", "POST", `/v1/sessions/waits/permissions/${permission}/reply`, '{"reply":"once"}')
  refused(await inShell(open, "spy", reply))
})

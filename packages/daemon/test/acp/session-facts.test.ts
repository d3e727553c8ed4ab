import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { expectProblem } from "../api/contract-check.ts"
import { startDaemon, type TestDaemon } from "../harness/daemon.ts"
import { text, Wire } from "./wire.ts"

let daemon: TestDaemon
let wire: Wire
beforeAll(async () => {
  daemon = await startDaemon({ flags: ["--default-agent", "mock"] })
  wire = new Wire(daemon)
  await wire.initialize()
})
afterAll(() => daemon[Symbol.asyncDispose]())

const NAMESPACE = "sandboxagent.dev"
const open = (meta: object) => wire.ask("session/new", { cwd: "/tmp", mcpServers: [], _meta: { [NAMESPACE]: meta } })

async function listed(sessionId: string): Promise<Record<string, unknown>> {
  const { result } = await wire.ask("session/list", {})
  const sessions = result?.sessions as { sessionId: string; _meta: Record<string, Record<string, unknown>> }[]
  return sessions.find((session) => session.sessionId === sessionId)?._meta[NAMESPACE] ?? {}
}

describe("session/list", () => {
  test("tells what is so now, not what was asked for at the beginning", async () => {
    await open({ requestedSessionId: "facts", mode: "plan", title: "first", team: "a", permissionMode: "plan" })
    expect(await listed("facts")).toMatchObject({ mode: "plan", title: "first", permissionMode: "plan" })
    await wire.ask("session/set_mode", { sessionId: "facts", modeId: "build" })
    await daemon.api.ok("PATCH", "/v1/sessions/facts", { title: "second", permissionMode: "bypass" })
    expect(await listed("facts")).toMatchObject({
      mode: "build",
      title: "second",
      permissionMode: "bypass",
      team: "a",
      requestedSessionId: "facts",
    })
  })

  test("a fork has its own id and not the one that was wanted for its parent", async () => {
    await open({ requestedSessionId: "parent", team: "b" })
    await wire.ask("session/prompt", { sessionId: "parent", prompt: text("hello") })
    const { result } = await wire.ask("session/fork", { sessionId: "parent", cwd: "/tmp" })
    const facts = await listed(String(result?.sessionId))
    expect(facts).toMatchObject({ team: "b" })
    expect(facts).not.toHaveProperty("requestedSessionId")
  })
})

describe("a directory that is not there", () => {
  test.each(["session/load", "session/resume", "session/fork"])(
    "is refused by %s, and nothing is done",
    async (method) => {
      const sessionId = `cwd-${method.replace("/", "-")}`
      await open({ requestedSessionId: sessionId })
      await wire.ask("session/prompt", { sessionId, prompt: text("hello") })
      await wire.ask("session/close", { sessionId })
      for (const cwd of ["/certainly/not/here", "relative", "/etc/passwd", 7]) {
        const { error } = await wire.ask(method, { sessionId, cwd, mcpServers: [] })
        expect(error).toMatchObject({ code: -32602, data: { code: "invalid_request" } })
        expect(error?.message).toMatch(/^cwd: /)
      }
      expect((await daemon.api.session(sessionId)).status).toBe("ended")
      expect((await wire.ask(method, { sessionId, cwd: "/tmp", mcpServers: [] })).error).toBeUndefined()
    },
  )
})

describe("refusals outside the protocol are problems", () => {
  const call = async (method: string, path: string) => {
    const response = await fetch(daemon.url + path, { method, headers: daemon.api.headers })
    return { status: response.status, headers: response.headers, body: await response.json() }
  }

  test.each(["/v1/acp/nobody", "/v2/rpc"])("DELETE of %s, where no connection is", async (path) => {
    expectProblem(await call("DELETE", path), "not_found")
  })

  test("another method at a named connection", async () => {
    const answer = await call("PUT", "/v1/acp/some")
    expectProblem(answer, "method_not_allowed")
    expect(answer.headers.get("allow")).toBe("GET, POST, DELETE")
  })

  test.each(["GET", "POST", "DELETE"])("a query name that %s does not know", async (method) => {
    for (const path of ["/v1/rpc", "/v1/acp/some"]) {
      const answer = await call(method, `${path}?agnet=mock`)
      expectProblem(answer, "invalid_request")
      expect(answer.body).toMatchObject({ detail: expect.stringContaining("query agnet"), known: ["agent"] })
    }
  })
})

import { AcpHttpClient } from "acp-http-client-public"
import { expect, test } from "vitest"
import { startDaemon, type TestDaemon } from "../harness/daemon.ts"

/** The client that is on npm as 0.4.2, as its users have it. */
function publicClient(daemon: TestDaemon, path: string) {
  const updates: { sessionId: string; update: { sessionUpdate: string; content?: { text?: string } } }[] = []
  const asked: { options: { optionId: string }[] }[] = []
  const client = new AcpHttpClient({
    baseUrl: daemon.url,
    token: daemon.token,
    transport: { path, bootstrapQuery: { agent: "mock" } },
    client: {
      sessionUpdate: async (notification: never) => {
        updates.push(notification)
      },
      requestPermission: async (request: never) => {
        asked.push(request)
        const { options } = request as (typeof asked)[0]
        return { outcome: { outcome: "selected", optionId: options[0]?.optionId ?? "" } }
      },
    },
  })
  const said = (id: string) =>
    updates
      .filter(({ sessionId, update }) => sessionId === id && update.sessionUpdate === "agent_message_chunk")
      .map(({ update }) => update.content?.text ?? "")
      .join("")
  return { client, updates, asked, said }
}

test.each(["/v1/acp/public", "/v1/rpc"])("the public client 0.4.2 at %s: a whole conversation", async (path) => {
  await using daemon = await startDaemon()
  const { client, asked, said } = publicClient(daemon, path)
  await client.initialize({ clientCapabilities: {} })
  const { sessionId } = await client.newSession({ cwd: "/tmp", mcpServers: [] })
  expect(await client.prompt({ sessionId, prompt: [{ type: "text", text: "one two" }] })).toMatchObject({
    stopReason: "end_turn",
  })
  expect(said(sessionId)).toBe("one two")
  expect(await client.prompt({ sessionId, prompt: [{ type: "text", text: "/permission echo yes" }] })).toMatchObject({
    stopReason: "end_turn",
  })
  expect(asked).toHaveLength(1)
  await client.setSessionMode({ sessionId, modeId: "plan" })
  await client.unstableSetSessionModel({ sessionId, modelId: "mock-small" })
  expect(await daemon.api.session(sessionId)).toMatchObject({ agentMode: "plan", model: "mock-small" })
  const { sessions } = await client.listSessions({})
  expect(sessions.map((one: { sessionId: string }) => one.sessionId)).toEqual([sessionId])
  const { sessionId: child } = await client.unstableForkSession({ sessionId, cwd: "/tmp" })
  expect(await client.prompt({ sessionId: child, prompt: [{ type: "text", text: "child" }] })).toMatchObject({
    stopReason: "end_turn",
  })
  const { lastSequence } = await daemon.api.session(sessionId)
  const running = client.prompt({ sessionId, prompt: [{ type: "text", text: "/sleep 60000" }] })
  await daemon.api.until(sessionId, "turn.started", ({ data }) => data.message_ids.length > 0, lastSequence)
  await client.cancel({ sessionId })
  expect(await running).toMatchObject({ stopReason: "cancelled" })
  expect(await client.extMethod("_sandboxagent/session/list_models", { sessionId })).toMatchObject({
    availableModels: expect.anything(),
  })
  await expect(client.extMethod("_no/such", {})).rejects.toMatchObject({ code: -32601 })
  await client.disconnect()
  expect((await daemon.api.session(sessionId)).status).toBe("idle")
})

test("two public clients with the same ids at their own addresses, on one session", async () => {
  await using daemon = await startDaemon()
  const one = publicClient(daemon, "/v1/acp/one")
  const two = publicClient(daemon, "/v1/acp/two")
  await Promise.all([one.client.initialize({}), two.client.initialize({})])
  const { sessionId } = await one.client.newSession({ cwd: "/tmp", mcpServers: [] })
  await two.client.loadSession({ sessionId, cwd: "/tmp", mcpServers: [] })
  const prompt = (text: string) => ({ sessionId, prompt: [{ type: "text" as const, text }] })
  const answers = await Promise.all([one.client.prompt(prompt("from one ")), two.client.prompt(prompt("from two "))])
  expect(answers.map(({ stopReason }: { stopReason: string }) => stopReason)).toEqual(["end_turn", "end_turn"])
  for (const { said } of [one, two]) {
    await expect.poll(() => said(sessionId).length).toBeGreaterThanOrEqual("from one from two ".length)
    expect(["from one from two ", "from two from one "]).toContain(said(sessionId))
  }
  await Promise.all([one.client.disconnect(), two.client.disconnect()])
})

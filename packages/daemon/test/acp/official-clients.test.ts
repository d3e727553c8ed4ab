import { describe, expect, test } from "vitest"
import { startDaemon } from "../harness/daemon.ts"
import { fill } from "./flows.ts"
import { choose, type Json, SdkClient, type Transport } from "./sdk-client.ts"

const transports: Transport[] = ["http", "websocket"]

describe.each(transports)("the official client over %s", (transport) => {
  test("is told what the agent can do, and that we speak version 1", async () => {
    await using daemon = await startDaemon()
    await using sdk = new SdkClient(daemon, transport)
    const reported = await sdk.initialize()
    expect(reported).toMatchObject({
      protocolVersion: 1,
      agentInfo: { name: "sandbox-agent" },
      agentCapabilities: {
        loadSession: true,
        _meta: { "sandboxagent.dev": { agent: "mock", extensions: { sessionDetach: true } } },
      },
    })
  })

  test("is told the commands of a new session", async () => {
    await using daemon = await startDaemon()
    await using sdk = new SdkClient(daemon, transport)
    await sdk.begin()
    await sdk.until(() => sdk.updates.some((one) => one.update.sessionUpdate === "available_commands_update"))
  })

  test("answers several questions in one form where it can show one", async () => {
    await using daemon = await startDaemon()
    const capabilities = { elicitation: { form: {} } }
    await using sdk = new SdkClient(daemon, transport, { capabilities, answers: { "elicitation/create": fill } })
    const id = await sdk.begin()
    expect(await sdk.prompt(id, "/questions")).toMatchObject({ stopReason: "end_turn" })
    const resolved = (await daemon.api.events(id)).find(({ type }) => type === "question.resolved")
    expect(resolved?.data).toMatchObject({ status: "answered", answers: [["Small"], ["Cheese"], ["words"]] })
  })

  test("is asked several questions one after the other where it has no form", async () => {
    await using daemon = await startDaemon()
    const answers = { "session/request_permission": choose("allow_once") }
    await using sdk = new SdkClient(daemon, transport, { answers })
    const id = await sdk.begin()
    expect(await sdk.prompt(id, "/questions")).toMatchObject({ stopReason: "end_turn" })
    const events = await daemon.api.events(id)
    const requested = events.find(({ type }) => type === "question.requested")
    const resolved = events.find(({ type }) => type === "question.resolved")
    const questions = requested?.type === "question.requested" ? requested.data.questions : []
    // The last one asks for words, which such a client cannot give, and need not.
    expect(questions.map(({ type }) => type)).toEqual(["choice", "choice", "text"])
    expect(sdk.asked).toHaveLength(2)
    const first = questions.map(({ options }) => options.slice(0, 1).map(({ label }) => label))
    expect(resolved?.data).toMatchObject({ status: "answered", answers: first })
  })

  test("a cancel also takes back what this client has in the queue", async () => {
    await using daemon = await startDaemon()
    await using sdk = new SdkClient(daemon, transport)
    const id = await sdk.begin()
    const first = sdk.prompt(id, "/sleep 60000")
    await daemon.api.until(id, "turn.started")
    const second = sdk.prompt(id, "never said")
    await daemon.api.until(id, "message.updated", ({ data }) => data.position === 1)
    await sdk.tell("session/cancel", { sessionId: id })
    expect(await first).toMatchObject({ stopReason: "cancelled" })
    expect(await second).toMatchObject({ stopReason: "cancelled" })
    expect(sdk.said(id)).toBe("")
  })

  test("loads a session another face made: its history comes before the answer", async () => {
    await using daemon = await startDaemon()
    await daemon.api.create("elsewhere", { permissionMode: "bypass" })
    await daemon.api.turn("elsewhere", "first words")
    await daemon.api.turn("elsewhere", "/run echo out")
    await using sdk = new SdkClient(daemon, transport)
    await sdk.initialize()
    const loaded = await sdk.ask("session/load", { sessionId: "elsewhere", cwd: "/tmp", mcpServers: [] })
    expect(loaded).toMatchObject({ modes: { currentModeId: "build" } })
    expect(sdk.said("elsewhere", "user_message_chunk")).toBe("first words/run echo out")
    expect(sdk.said("elsewhere")).toContain("first words")
    expect(sdk.updates.map((one) => one.update.sessionUpdate)).toContain("tool_call_update")
    expect(await sdk.prompt("elsewhere", "more")).toMatchObject({ stopReason: "end_turn" })
  })

  test("loads in the middle of a turn: what was said and what is said later make the whole", async () => {
    await using daemon = await startDaemon()
    await daemon.api.create("long")
    await daemon.api.send("long", "/flood 300 150")
    await daemon.api.until("long", "item.delta")
    await using sdk = new SdkClient(daemon, transport)
    await sdk.initialize()
    await sdk.ask("session/load", { sessionId: "long", cwd: "/tmp", mcpServers: [] })
    await daemon.api.until("long", "turn.ended")
    const { items } = await daemon.api.items("long")
    const text = items.flatMap(({ role, content }) =>
      role === "assistant" ? content.map((part) => ("text" in part ? part.text : "")) : [],
    )
    await sdk.until(() => sdk.said("long").length >= text.join("").length)
    expect(sdk.said("long")).toBe(text.join(""))
  })

  test("closes, resumes and deletes", async () => {
    await using daemon = await startDaemon()
    await using sdk = new SdkClient(daemon, transport)
    const id = await sdk.begin()
    await sdk.prompt(id, "something")
    await sdk.ask("session/close", { sessionId: id })
    await sdk.until(() => sdk.noticed.some(({ params }) => params.sessionId === id))
    expect((await daemon.api.session(id)).status).toBe("ended")
    await sdk.ask("session/resume", { sessionId: id, cwd: "/tmp", mcpServers: [] })
    expect(await sdk.prompt(id, "again")).toMatchObject({ stopReason: "end_turn" })
    await sdk.ask("session/delete", { sessionId: id })
    expect((await daemon.api.call("GET", `/v1/sessions/${id}`)).status).toBe(404)
  })

  test("changes mode, model and options, and is told the complete list", async () => {
    await using daemon = await startDaemon()
    await using sdk = new SdkClient(daemon, transport)
    const id = await sdk.begin()
    await sdk.ask("session/set_mode", { sessionId: id, modeId: "plan" })
    await sdk.ask("session/set_model", { sessionId: id, modelId: "mock-small" })
    const { configOptions } = await sdk.ask<{ configOptions: { id: string; currentValue: string }[] }>(
      "session/set_config_option",
      { sessionId: id, configId: "permission_mode", value: "bypass" },
    )
    expect(Object.fromEntries(configOptions.map((one) => [one.id, one.currentValue]))).toMatchObject({
      mode: "plan",
      model: "mock-small",
      permission_mode: "bypass",
    })
    expect(await daemon.api.session(id)).toMatchObject({
      agentMode: "plan",
      model: "mock-small",
      permissionMode: "bypass",
    })
  })

  test("uses our extensions: models, metadata, detach, terminate", async () => {
    await using daemon = await startDaemon()
    await using sdk = new SdkClient(daemon, transport)
    const meta = { _meta: { "sandboxagent.dev": { requestedSessionId: "mine", title: "Before", colour: "red" } } }
    expect(await sdk.begin(meta)).toBe("mine")
    const models = await sdk.ask("_sandboxagent/session/list_models", { sessionId: "mine" })
    expect(models).toMatchObject({ currentModelId: "mock-large" })
    await sdk.ask("_sandboxagent/session/set_metadata", { sessionId: "mine", metadata: { title: "After", size: 3 } })
    expect(await daemon.api.session("mine")).toMatchObject({ title: "After", metadata: { colour: "red", size: 3 } })
    await sdk.ask("_sandboxagent/session/detach", { sessionId: "mine" })
    const before = sdk.updates.length
    await daemon.api.turn("mine", "nobody hears this")
    await sdk.ask("session/resume", { sessionId: "mine", cwd: "/tmp", mcpServers: [] })
    await daemon.api.turn("mine", "this is heard")
    await sdk.until(() => sdk.said("mine") === "this is heard")
    expect(sdk.updates.length).toBeGreaterThan(before)
    await sdk.tell("_sandboxagent/session/terminate", { sessionId: "mine" })
    await sdk.until(() => sdk.noticed.some(({ method }) => method === "_sandboxagent/session/ended"))
  })

  test("gets typed errors: unknown method, session and parameters, with the place", async () => {
    await using daemon = await startDaemon()
    await using sdk = new SdkClient(daemon, transport)
    await sdk.initialize()
    const refused = (method: string, params: Json) =>
      sdk.ask(method, params).then(
        () => undefined,
        (error: { code: number; message: string; data: Json }) => error,
      )
    expect(await refused("no/such", {})).toMatchObject({ code: -32601 })
    expect(
      await refused("session/prompt", { sessionId: "nobody", prompt: [{ type: "text", text: "x" }] }),
    ).toMatchObject({
      code: -32002,
      data: { code: "session_not_found" },
    })
    expect(await refused("session/new", { cwd: "relative", mcpServers: [] })).toMatchObject({
      code: -32602,
      message: expect.stringContaining("cwd"),
    })
    expect(await refused("authenticate", { methodId: "x" })).toMatchObject({ code: -32602 })
    expect(await refused("logout", {})).toMatchObject({ code: -32601, data: { code: "not_supported" } })
  })

  test("without an agent, a session is refused with the list of agents", async () => {
    await using daemon = await startDaemon()
    await using sdk = new SdkClient(daemon, transport, { query: "" })
    await sdk.initialize()
    await expect(sdk.ask("session/new", { cwd: "/tmp", mcpServers: [] })).rejects.toMatchObject({
      code: -32602,
      data: { agents: expect.arrayContaining(["mock", "claude"]) },
    })
  })

  test("an agent's end is the prompt's error, with exit code and stderr; the next prompt goes on", async () => {
    await using daemon = await startDaemon()
    await using sdk = new SdkClient(daemon, transport)
    const id = await sdk.begin()
    await expect(sdk.prompt(id, "/crash 7")).rejects.toMatchObject({
      data: { code: "agent_process_exited", exitCode: 7 },
    })
    expect(await sdk.prompt(id, "alive")).toMatchObject({ stopReason: "end_turn" })
    await sdk.prompt(id, "/garbage")
    await sdk.until(() => sdk.noticed.some(({ method }) => method === "_sandboxagent/agent/unparsed"))
  })
})

import { expect, test } from "vitest"
import { startDaemon } from "../harness/daemon.ts"
import { wrongEnvelopes, wrongs } from "./projection/protocol-schema.ts"
import { type Message, text, Wire } from "./wire.ts"

const script = [
  "words",
  "/think a thought",
  '/tool Look {"at":"it"}',
  "/edit notes.txt some words",
  "/run echo out",
  "/todo",
  "/usage",
  "/subagent",
  "/image",
  "/title A title",
  "/unknown",
  "/garbage",
  "/permission echo yes",
  "/question",
  "/questions",
  "/plan",
].join("\n")

/** Answers whatever is asked with the first choice there is. */
function answerAll(wire: Wire, { id, method, params }: Message): void {
  if (id === undefined || method === undefined) return
  const options = params?.options as { optionId: string }[] | undefined
  const result =
    method === "elicitation/create"
      ? { action: "decline" }
      : { outcome: { outcome: "selected", optionId: options?.[0]?.optionId } }
  void wire.post({ jsonrpc: "2.0", id, result })
}

test.each([
  ["a plain client", {}],
  ["a client with all capabilities", { elicitation: { form: {}, url: {} }, session: { notices: {} } }],
])(
  "%s: whatever the daemon says is what the official schema says",
  async (_, capabilities) => {
    await using daemon = await startDaemon()
    const wire = new Wire(daemon, "/v1/acp/schema")
    const stream = await wire.stream()
    const params = {
      protocolVersion: 1,
      clientCapabilities: capabilities,
      _meta: { "sandboxagent.dev": { agent: "mock" } },
    }
    const faults: string[] = []
    const ask = async (method: string, given: object, definition: string) => {
      const { result, error } = await wire.ask(method, given as never)
      if (error !== undefined) faults.push(`${method}: ${error.message}`)
      else faults.push(...wrongs(definition, result))
      return result
    }
    await ask("initialize", params, "InitializeResponse")
    const place = { cwd: daemon.dataDir, mcpServers: [] }
    const sessionId = String((await ask("session/new", place, "NewSessionResponse"))?.sessionId)
    let seen = 0
    const answering = setInterval(() => {
      for (; seen < stream.messages.length; seen++) answerAll(wire, stream.messages[seen] as Message)
    }, 20)
    await ask("session/prompt", { sessionId, prompt: text(script) }, "PromptResponse")
    clearInterval(answering)
    await ask("session/set_mode", { sessionId, modeId: "plan" }, "SetSessionModeResponse")
    await ask(
      "session/set_config_option",
      { sessionId, configId: "model", value: "mock-small" },
      "SetSessionConfigOptionResponse",
    )
    await ask("session/list", {}, "ListSessionsResponse")
    await ask("session/load", { sessionId, ...place }, "LoadSessionResponse")
    await ask("session/close", { sessionId }, "CloseSessionResponse")
    await ask("session/resume", { sessionId, ...place }, "ResumeSessionResponse")
    await ask("session/delete", { sessionId }, "DeleteSessionResponse")
    await stream.until(({ method }) => method === "_sandboxagent/session/ended")
    expect(faults).toEqual([])
    const reported = stream.messages.filter(({ method }) => method !== undefined)
    expect(reported.length).toBeGreaterThan(40)
    expect(wrongEnvelopes(reported as never, sessionId)).toEqual([])
    for (const message of stream.messages) expect(message).toMatchObject({ jsonrpc: "2.0" })
  },
  120_000,
)

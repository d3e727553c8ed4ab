import fc from "fast-check"
import { expect, test } from "vitest"
import { incoming } from "../../src/faces/acp/rpc.ts"
import { startDaemon } from "../harness/daemon.ts"
import { Wire } from "./wire.ts"

const methods = [
  "initialize",
  "session/new",
  "session/load",
  "session/prompt",
  "session/set_config_option",
  "session/list",
  "session/fork",
  "session/resume",
  "session/set_mode",
  "_sandboxagent/session/set_metadata",
  "_sandboxagent/session/list_models",
  "$/cancel_request",
  "session/cancel",
]
const params = fc.dictionary(
  fc.constantFrom(
    "sessionId",
    "cwd",
    "mcpServers",
    "prompt",
    "modeId",
    "configId",
    "value",
    "cursor",
    "_meta",
    "metadata",
    "requestId",
    "protocolVersion",
  ),
  fc.oneof(
    fc.jsonValue(),
    fc.constant("one"),
    fc.constant("/tmp"),
    fc.constant([]),
    fc.constant([{ type: "text", text: "hi" }]),
  ),
)
const message = fc.record(
  {
    jsonrpc: fc.constantFrom("2.0", "1.0", 2),
    id: fc.oneof(fc.integer(), fc.string(), fc.constant(null), fc.jsonValue()),
    method: fc.oneof(fc.constantFrom(...methods), fc.jsonValue()),
    params: fc.oneof(params, fc.jsonValue()),
    result: fc.jsonValue(),
    error: fc.jsonValue(),
  },
  { requiredKeys: [] },
)

test("any object is a call, a notification, a reply, or invalid with a reason", () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.constantFrom("jsonrpc", "id", "method", "params", "result", "error"), fc.jsonValue()),
      (value) => {
        const given = incoming(value as Record<string, unknown>)
        if (given.kind === "invalid") expect(given.why).not.toBe("")
        else expect(value.jsonrpc).toBe("2.0")
        if (given.kind === "call" || given.kind === "notice") expect(typeof given.method).toBe("string")
      },
    ),
  )
})

test("whatever is posted is answered in the words of the protocol, and the daemon stays as it was", async () => {
  await using daemon = await startDaemon()
  await daemon.api.create("one")
  const headerless = new Wire(daemon)
  const connection = await headerless.initialize()
  const official = { "acp-connection-id": connection, "acp-session-id": "one" }
  await fc.assert(
    fc.asyncProperty(message, fc.boolean(), async (given, withHeaders) => {
      const { status, text, body } = await headerless.post(JSON.stringify(given), withHeaders ? official : {})
      expect([200, 202, 400]).toContain(status)
      if (status === 200) expect(body).toMatchObject({ jsonrpc: "2.0" })
      expect(text).not.toMatch(/"code":-32603/)
    }),
    // What cannot be made a text: an object is no id, whatever it has in it.
    { numRuns: 300, examples: [[{ id: { toString: false }, method: "initialize" } as never, true]] },
  )
  expect(await daemon.api.turn("one", "still here")).not.toEqual([])
  expect(daemon.stderr()).not.toMatch(/acp request failed|unhandled|uncaught/)
}, 120_000)

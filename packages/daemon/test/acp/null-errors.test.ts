import { expect, test } from "vitest"
import { startDaemon } from "../harness/daemon.ts"
import { Wire } from "./wire.ts"

test("an answer of a client that writes every field is taken: beside a result, an error of null is none", async () => {
  await using daemon = await startDaemon()
  const wire = new Wire(daemon, "/v1/acp/null-errors")
  const stream = await wire.stream()
  await wire.initialize()
  await wire.create("thorough")
  const prompt = [{ type: "text", text: "/permission echo yes" }]
  const prompted = wire.ask("session/prompt", { sessionId: "thorough", prompt }, "prompt")
  const { id } = await stream.until(({ method }) => method === "session/request_permission")
  const result = { outcome: { outcome: "selected", optionId: "allow_once" } }
  const answered = await wire.post({ jsonrpc: "2.0", id, result, error: null })
  expect([answered.status, answered.body.error]).toEqual([202, undefined])
  await prompted
  const resolved = (await daemon.api.events("thorough")).flatMap((event) =>
    event.type === "permission.resolved" ? event.data.status : [],
  )
  expect(resolved).toEqual(["accept"])
  const failed = { code: -32000, message: "no" }
  const both = await wire.post({ jsonrpc: "2.0", id: 77, result: {}, error: failed })
  expect(both.body.error?.message).toContain("exclude each other")
  await stream.cut()
})

import { expect, test } from "vitest"
import { program, startWith } from "./lines.ts"
import { type Json, type Message, text, Wire } from "./wire.ts"

const said = (messages: readonly Message[]) =>
  messages.flatMap(({ params }) => {
    const update = params?.update as { sessionUpdate?: string; content?: Json } | undefined
    return update?.sessionUpdate === "agent_message_chunk" ? [String(update.content?.text)] : []
  })

test("what an agent says and asks before its session has a name reaches the client that made it, once", async () => {
  await using daemon = await startWith("early", program("early-agent.ts"))
  const wire = new Wire(daemon)
  const stream = await wire.stream()
  await wire.initialize({}, "early")
  const created = await wire.ask("session/new", { cwd: "/tmp", mcpServers: [] })
  const sessionId = String(created.result?.sessionId)
  const asked = await stream.until(({ method }) => method === "session/request_permission")
  expect(said(stream.messages).join("")).toBe("welcome here")
  await wire.post({ jsonrpc: "2.0", id: asked.id, result: { outcome: { outcome: "selected", optionId: "yes" } } })
  await stream.until(() => said(stream.messages).join("").includes("answered"))
  await wire.ask("session/prompt", { sessionId, prompt: text("go") })
  await stream.until(() => said(stream.messages).includes("done"))
  const words = said(stream.messages).join("")
  expect(words).toBe('welcome hereanswered {"outcome":{"outcome":"selected","optionId":"yes"}}done')
  expect(stream.messages.filter(({ method }) => method === "session/request_permission")).toHaveLength(1)

  const again = await wire.stream({ "last-event-id": stream.received[0]?.id ?? "" })
  await again.until(() => said(again.messages).includes("done"))
  expect(said(again.messages).join("")).toBe(words)
}, 60_000)

import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { scratch, startDaemon } from "../harness/daemon.ts"
import { type Json, text, Wire } from "./wire.ts"

/** A data directory whose daemon knows an agent made with the official SDK. */
function withOwnAgent(): string {
  const dataDir = scratch()
  const program = join(import.meta.dirname, "own-agent.ts")
  const distribution = { command: { cmd: process.execPath, args: [program] } }
  const agents = [{ id: "own", name: "Own", version: "1.0.0", distribution }]
  writeFileSync(join(dataDir, "agents.json"), JSON.stringify({ agents }))
  return dataDir
}

test("an agent that speaks ACP is passed on as it is: only ids are ours, and each line comes once, in its place", async () => {
  await using daemon = await startDaemon({ dataDir: withOwnAgent() })
  const wire = new Wire(daemon)
  const stream = await wire.stream()
  await wire.initialize({}, "own")
  const created = await wire.ask("session/new", { cwd: "/tmp", mcpServers: [] })
  const sessionId = String(created.result?.sessionId)
  const prompted = wire.ask("session/prompt", { sessionId, prompt: text("go") })
  const asked = await stream.until(({ method }) => method === "session/request_permission")
  expect(asked.params).toMatchObject({ sessionId, toolCall: { toolCallId: "t1" } })
  const outcome = { outcome: "selected", optionId: "allow_once" }
  await wire.post({ jsonrpc: "2.0", id: asked.id, result: { outcome } })
  expect((await prompted).result).toMatchObject({ stopReason: "end_turn" })
  await stream.until(({ method }) => method === "_vendor/note")
  const lines = stream.messages.filter(({ params }) => JSON.stringify(params ?? {}).includes('"mine"'))
  expect(lines.map(({ params }) => (params?.update as Json)?._meta)).toEqual([
    { mine: 1 },
    { mine: 2 },
    { mine: 3 },
    { mine: 4 },
  ])
  expect(lines.map(({ params }) => params?.sessionId)).toEqual(Array(4).fill(sessionId))
  expect(lines.at(-1)?.params?.update).toMatchObject({ rawOutput: { outcome: "selected", optionId: "yes-please" } })
  const chunks = stream.messages.flatMap(({ params }) => {
    const update = params?.update as { sessionUpdate?: string; content?: Json; messageId?: string } | undefined
    return update?.sessionUpdate?.endsWith("_chunk") ? [[update.sessionUpdate, update.content?.text]] : []
  })
  expect(chunks).toEqual([
    ["user_message_chunk", "go"],
    ["agent_thought_chunk", "hm"],
    ["agent_message_chunk", "hello "],
    ["agent_message_chunk", "there"],
  ])
  const { params } = await stream.until(({ method }) => method === "_vendor/note")
  expect(params).toEqual({ sessionId, words: "of its own" })
  // The same again from the log.
  const again = await wire.stream({ "last-event-id": stream.told[0]?.id ?? "" })
  await again.until(({ method }) => method === "_vendor/note")
  const until = (told: typeof stream.told) =>
    told.slice(
      0,
      told.findIndex(({ message }) => message.method === "_vendor/note"),
    )
  expect(until(again.told)).toEqual(until(stream.told).slice(1))
})

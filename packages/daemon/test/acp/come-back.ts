import { acpLimits } from "@sandbox-agent/schema/acp-limits"
import { intervals } from "@sandbox-agent/schema/intervals"
import { expect } from "vitest"
import { startDaemon, type TestDaemon } from "../harness/daemon.ts"
import { metricBecomes } from "../streaming/raw-stream.ts"
import { overfill } from "./overfill.ts"
import { choose, SdkClient, type SdkOptions } from "./sdk-client.ts"
import { text, Wire } from "./wire.ts"

async function joined(daemon: TestDaemon, options?: SdkOptions): Promise<SdkClient> {
  const client = new SdkClient(daemon, "websocket", options)
  await client.initialize()
  await client.ask("session/load", { sessionId: "one", cwd: "/tmp", mcpServers: [] })
  return client
}

/** A client that has declined what it was asked, and another that was asked as well and left. */
async function declinedAndLeft(daemon: TestDaemon) {
  const wire = new Wire(daemon)
  const stream = await wire.stream()
  await wire.initialize()
  await wire.create("one")
  const other = await joined(daemon)
  const prompted = wire.ask("session/prompt", { sessionId: "one", prompt: text("/permission echo yes") })
  await other.until(() => other.asked.length === 1)
  const { id } = await stream.until(({ method }) => method === "session/request_permission")
  const error = { code: -32601, message: "Method not found" }
  expect((await wire.post({ jsonrpc: "2.0", id, error })).status).toBe(202)
  await other.close()
  await metricBecomes(daemon, "sockets_open", 0)
  return { stream, prompted }
}

async function decision({ api }: TestDaemon): Promise<unknown> {
  return (await api.events("one")).find(({ type }) => type === "permission.resolved")?.data
}

overfill(["comeBackMs"], "what all others declined is refused when who has left stays away for longer", async () => {
  expect(intervals.comeBackMs).toBe(acpLimits.comeBackMs)
  await using daemon = await startDaemon({ intervals: { comeBackMs: 50 } })
  const { stream, prompted } = await declinedAndLeft(daemon)
  expect(await prompted).toMatchObject({ result: { stopReason: "end_turn" } })
  expect(await decision(daemon)).toMatchObject({ status: "reject", message: "no client decided it" })
  await stream.cut()
})

overfill(["comeBackMs"], "who comes back sooner decides", async () => {
  await using daemon = await startDaemon()
  const { stream, prompted } = await declinedAndLeft(daemon)
  const answers = { "session/request_permission": choose("allow_once") }
  await using _back = await joined(daemon, { answers })
  expect(await prompted).toMatchObject({ result: { stopReason: "end_turn" } })
  expect(await decision(daemon)).toMatchObject({ status: "accept" })
  await stream.cut()
})

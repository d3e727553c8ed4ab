import { acpLimits } from "@sandbox-agent/schema/acp-limits"
import { expect, test } from "vitest"
import { startDaemon } from "../harness/daemon.ts"
import { metric, metricBecomes } from "../streaming/raw-stream.ts"
import { deafSocket } from "./deaf-socket.ts"
import { overfill } from "./overfill.ts"

const initialize = JSON.stringify({ jsonrpc: "2.0", id: 0, method: "initialize", params: { protocolVersion: 1 } })
const nonsense = Array.from({ length: 10_000 }, () => "no message")

overfill(
  ["socketRefusedBytes"],
  "who sends nonsense and takes no answer is closed, not answered for ever",
  async () => {
    await using daemon = await startDaemon()
    const deaf = await deafSocket(daemon)
    await deaf.say([initialize])
    await metricBecomes(daemon, "sockets_open", 1)
    let most = 0
    // The kernel takes some megabytes on both sides before any wait here.
    for (let sent = 0; sent < 60 && (await metric(daemon, "sockets_open")) > 0; sent++) {
      await deaf.say(nonsense)
      most = Math.max(most, await metric(daemon, "socket_buffered_bytes"))
    }
    await metricBecomes(daemon, "sockets_open", 0)
    expect(most).toBeLessThan(2 * acpLimits.socketRefusedBytes)
  },
  { timeout: 120_000 },
)

test("a socket that takes nothing is given up also while refusals are added to what waits", async () => {
  await using daemon = await startDaemon({ flags: ["--stalled-reader-seconds", "2"] })
  await daemon.api.create("one")
  const deaf = await deafSocket(daemon)
  const params = { sessionId: "one", cwd: "/tmp", mcpServers: [] }
  await deaf.say([initialize, JSON.stringify({ jsonrpc: "2.0", id: 1, method: "session/resume", params })])
  await metricBecomes(daemon, "sockets_open", 1)
  await daemon.api.send("one", "/stream 12000 2500")
  let open = 1
  // A frame now and then keeps it from being idle, and its refusal from being as full as before.
  while (open > 0) {
    await deaf.say(["no message"])
    await Bun.sleep(100)
    open = await metric(daemon, "sockets_open")
  }
}, 120_000)

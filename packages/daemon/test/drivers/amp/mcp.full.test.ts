import { expect, test } from "vitest"
import { runMcpCalls } from "../mcp-calls.ts"
import { startLive } from "./live.ts"

runMcpCalls(startLive, 180_000)

test("a server that is still being started when the first message is taken is told", { timeout: 180_000 }, async () => {
  const mcp = { slow: { command: "sh", args: ["-c", "echo soon >&2; exec sleep 600"] } }
  await using live = await startLive(["done"], { create: { permissionMode: "bypass", mcp } })
  expect(await live.run("go")).toMatchObject({ stop_reason: "end_turn" })
  const told = JSON.stringify(live.items())
  expect(told).toContain("amp.mcp_failed")
  expect(told).toContain("slow: it has not started yet")
})

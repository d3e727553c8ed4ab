import { codexLimits } from "@sandbox-agent/schema/driver-limits"
import type { Item } from "@sandbox-agent/schema/item"
import { overfilling } from "@sandbox-agent/test-agents/overfill"
import { expect } from "vitest"
import type { NewItem, Sink } from "../../../src/core/driver-sink.ts"
import { Calls } from "../../../src/drivers/codex/calls.ts"
import { McpServers } from "../../../src/drivers/codex/mcp-servers.ts"

const { overfill, expectAll } = overfilling(codexLimits)
const sink = new Proxy({} as Sink, { get: () => () => undefined })
const { signal } = new AbortController()

overfill(["mcpStatusMs"], "of servers that Codex says nothing of none is waited for longer", async () => {
  const servers = new McpServers(["a"], { mcpStatusMs: 1, mcpStartMs: 600_000 })
  await servers.started(signal)
  await servers.started(signal)
})

overfill(["mcpStartMs"], "one that neither starts nor fails is waited for once", async () => {
  const servers = new McpServers(["a", "b"], { mcpStatusMs: 600_000, mcpStartMs: 1 })
  const params = { threadId: "t", name: "a", status: "starting" }
  servers.receive({ method: "mcpServer/startupStatus/updated", params } as never, sink)
  await servers.started(signal)
  await servers.started(signal)
})

overfill(["titleChars"], "of a longer title the beginning is shown", () => {
  const opened: NewItem[] = []
  const noting = new Proxy({} as Sink, {
    get: (_, name) => (item: NewItem) => name === "open" && opened.push(item),
  })
  const title = "x".repeat(codexLimits.titleChars + 1)
  new Calls(noting, "", undefined).call("c", { name: "shell", arguments: {}, title })
  const part = opened[0]?.content?.[0] as Extract<Item["content"][number], { type: "tool_call" }>
  expect(JSON.stringify(opened)).toContain("x".repeat(codexLimits.titleChars))
  expect(JSON.stringify(opened)).not.toContain(title)
  expect(part.name).toBe("shell")
})

expectAll()

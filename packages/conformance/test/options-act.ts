import { mkdirSync } from "node:fs"
import { mcpOverHttp } from "@sandbox-agent/test-agents/mcp-over-http"
import { describe, expect, test } from "vitest"
import { Api } from "../src/api.ts"
import type { DriverSuite } from "../src/driver-suite.ts"

/** What is taken acts: servers of MCP that are no programs are reached, by the way that was given and with its headers. */
export function runOptionsAct(
  agent: string,
  start: DriverSuite["start"],
  transports: readonly ("http" | "sse")[],
): void {
  describe(`options of ${agent}`, () => {
    test.each(transports)("an MCP server over %s is reached", { timeout: 180_000 }, async (type) => {
      const { subject, stage, stop } = await start()
      mkdirSync(stage.directory, { recursive: true })
      const daemon = await stage.start()
      const web = mcpOverHttp()
      try {
        const api = new Api(daemon.url, daemon.token)
        const mcp = { web: { type, ...web.at(type === "sse" ? "/sse" : "/mcp") } }
        const body = { agent, directory: stage.directory, ...subject.session, mcp }
        const { healthy } = await api.create("web", body)
        expect(healthy).toBe(true)
        await api.turn("web", (await subject.acts.say?.("hello")) ?? "")
        expect(web.seen).toContainEqual(type === "sse" ? "GET /sse zebra" : "POST /mcp zebra")
      } finally {
        await daemon.stop()
        await web.stop()
        await stop?.()
      }
    })
  })
}

import { mcpProbe } from "@sandbox-agent/conformance/mcp-probe"
import type { Mcp } from "@sandbox-agent/schema/session"
import type { ScriptedModel } from "@sandbox-agent/scripted-model"
import { reply, toolCall } from "@sandbox-agent/scripted-model/script"
import type { ScriptItem } from "@sandbox-agent/scripted-model/step"
import { mcpOverHttp } from "@sandbox-agent/test-agents/mcp-over-http"
import { expect, test } from "vitest"
import { scratch } from "../harness/daemon.ts"
import type { DriverStage } from "./stage.ts"

type Live = DriverStage & { model: ScriptedModel }
type Start = (script: readonly ScriptItem[], options: { create: object }) => Promise<Live>

/** The model calls a tool of an MCP server, over each way to reach one, and is told what that answered. */
export function runMcpCalls(startLive: Start, timeout: number): void {
  test.each(["stdio", "http", "sse"] as const)(
    "a tool of an MCP server over %s is called, and the model is told its answer",
    { timeout },
    async (type) => {
      const web = mcpOverHttp()
      try {
        const over = { type, ...web.at(type === "sse" ? "/sse" : "/mcp") }
        const mcp = { probe: type === "stdio" ? mcpProbe(scratch()) : over } as Mcp
        const script = [reply(toolCall("mcp__probe__ping", {})), "pinged"]
        await using live = await startLive(script, { create: { permissionMode: "bypass", mcp } })
        expect(await live.run("go")).toMatchObject({ stop_reason: "end_turn" })
        const asked = live.model.requests.map(({ body }) => JSON.stringify(body)).filter((body) => body.includes("go"))
        expect(asked.at(-2)).toContain("mcp__probe__ping")
        // It is also in what describes the tool.
        expect(pongs(asked.at(-1))).toBe(pongs(asked.at(-2)) + 1)
        expect(web.seen.filter((one) => one === "tools/call")).toHaveLength(type === "stdio" ? 0 : 1)
        if (type !== "stdio") expect(web.seen).toContain(`POST ${type === "sse" ? "/message" : "/mcp"} zebra`)
        expect(live.wrongs()).toEqual([])
      } finally {
        await web.stop()
      }
    },
  )
}

const pongs = (body = ""): number => body.split("pong").length - 1

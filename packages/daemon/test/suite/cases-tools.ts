import { readFileSync } from "node:fs"
import { join } from "node:path"
import type { ContentPart, Item } from "@sandbox-agent/schema/item"
import { expect } from "vitest"
import { type Case, itemsOf, only } from "./scene.ts"

type Part<T extends ContentPart["type"]> = Extract<ContentPart, { type: T }>
const parts = <T extends ContentPart["type"]>(items: readonly Item[], type: T): Part<T>[] =>
  items.flatMap(({ content }) => content.filter((part): part is Part<T> => part.type === type))

/** The result of each call, joined by its id. */
function results(items: readonly Item[]): [call: string, output: string | undefined][] {
  const outputs = parts(items, "tool_result")
  return parts(items, "tool_call").map((call) => [
    call.name,
    outputs.find(({ call_id }) => call_id === call.call_id)?.output,
  ])
}

export const toolCases: Case[] = [
  {
    name: "a tool call has its arguments and gets its result",
    needs: ["toolCalls", "toolResults"],
    async run(scene) {
      const { id } = await scene.session({ permissionMode: "bypass" })
      const items = itemsOf(await scene.turn(id, "tool"))
      const [call] = parts(items, "tool_call")
      expect(() => JSON.parse(call?.arguments ?? "")).not.toThrow()
      expect(results(items)).toEqual([[call?.name, expect.any(String)]])
      const kinds = items.map(({ kind }) => kind)
      expect(kinds.indexOf("tool_call")).toBeLessThan(kinds.indexOf("tool_result"))
    },
  },
  {
    name: "a command runs and its output is the result",
    needs: ["commandExecution"],
    async run(scene) {
      const { id, directory } = await scene.session({ permissionMode: "bypass" })
      const items = itemsOf(await scene.turn(id, "run", "pwd; echo to stderr >&2"))
      const output = results(items)[0]?.[1] ?? ""
      expect(output).toContain(directory)
      expect(output).toContain("to stderr")
    },
  },
  {
    name: "a command that fails says so in its result, and the turn goes on",
    needs: ["commandExecution"],
    async run(scene) {
      const { id } = await scene.session({ permissionMode: "bypass" })
      const events = await scene.turn(id, "run", "echo broken; exit 3")
      expect(parts(itemsOf(events), "tool_result")[0]).toMatchObject({
        is_error: true,
        output: expect.stringContaining("broken"),
      })
      expect(only(events, "turn.ended")[0]?.data.stop_reason).toBe("end_turn")
    },
  },
  {
    name: "a file change is on disk and shown with its diff",
    needs: ["fileChanges"],
    async run(scene) {
      const { id, directory } = await scene.session({ permissionMode: "acceptEdits" })
      const events = await scene.turn(id, "write", "made.txt", "made by the agent")
      const path = join(directory, "made.txt")
      expect(readFileSync(path, "utf8")).toContain("made by the agent")
      const change = parts(itemsOf(events), "file_ref").find((part) => part.path === path)
      expect([change?.action, change?.diff]).toEqual([
        expect.stringMatching(/write|patch/),
        expect.stringContaining("+made by the agent"),
      ])
      expect(only(events, "permission.requested").length).toBe(only(events, "permission.resolved").length)
    },
  },
  {
    name: "what a sub-agent does hangs on the call that started it",
    needs: ["subagents"],
    async run(scene) {
      const { id } = await scene.session({ permissionMode: "bypass" })
      const items = itemsOf(await scene.turn(id, "subagent"))
      const calls = items.filter(({ kind }) => kind === "tool_call")
      const inner = items.filter(({ parent_id }) => calls.some(({ item_id }) => item_id === parent_id))
      expect(inner.some(({ kind }) => kind === "tool_call")).toBe(true)
      expect(results(items).every(([, output]) => output !== undefined)).toBe(true)
    },
  },
  {
    name: "a plan is told as it changes",
    needs: ["plans"],
    async run(scene) {
      const { id } = await scene.session({ permissionMode: "bypass" })
      const plans = only(await scene.turn(id, "todo"), "plan.updated").map(({ data }) => data.entries)
      expect(plans.length).toBeGreaterThan(1)
      expect(plans[0]?.length).toBeGreaterThan(1)
      expect(plans.at(-1)?.every(({ status }) => status === "completed")).toBe(true)
    },
  },
  {
    name: "an MCP server given at create is called",
    needs: ["mcpTools"],
    async run(scene) {
      const probe = { command: process.execPath, args: [join(import.meta.dirname, "mcp-probe.ts")] }
      const { id } = await scene.session({ permissionMode: "bypass", mcp: { probe } })
      const items = itemsOf(await scene.turn(id, "mcpTool"))
      expect(results(items)).toEqual([[expect.stringContaining("ping"), expect.stringContaining("pong")]])
    },
  },
]

import { describe, expect, test } from "vitest"
import { environment } from "../../../src/drivers/claude/launch.ts"
import type { Suggestion } from "../../../src/drivers/claude/native.ts"
import { permissionOf } from "../../../src/drivers/claude/permission.ts"
import { UsageMeter } from "../../../src/drivers/claude/usage.ts"

describe("what always would mean", () => {
  const rulesOf = (tool_name: string, input: Record<string, unknown>, ...contents: string[]) => {
    const rules = contents.map((ruleContent) => ({ toolName: tool_name, ruleContent }))
    const permission_suggestions: Suggestion[] = [
      { type: "setMode" },
      ...(rules.length > 0 ? [{ type: "addRules", behavior: "allow", rules }] : []),
    ]
    const { covers, always } = permissionOf({ tool_name, tool_use_id: "t", input, permission_suggestions })
    expect(covers).toEqual(always)
    return always
  }

  test("the rule Claude Code suggests; several only together", () => {
    expect(rulesOf("Bash", { command: "npm test" }, "npm test:*")).toEqual(["Bash(npm test:*)"])
    const both = rulesOf("Bash", { command: "x" }, "rm:*", "npm test:*")
    expect(both).toEqual(rulesOf("Bash", { command: "y" }, "npm test:*", "rm:*"))
    // A command can have any name, also that of two.
    for (const one of ["npm test:*", "rm:*", "npm test:*) + Bash(rm:*"])
      expect(rulesOf("Bash", { command: "x" }, one)).not.toEqual(both)
  })

  test("the same file, else the same call", () => {
    expect(rulesOf("Edit", { file_path: "/a", old_string: "x", new_string: "y" })).toEqual(["edit /a"])
    expect(rulesOf("Write", { file_path: "/a", content: "z" })).toEqual(["edit /a"])
    expect(rulesOf("Other", { a: 1 })).toEqual(['Other {"a":1}'])
  })
})

test("totals become increments; one that fell is counted from nothing; an unknown price is absent", () => {
  const meter = new UsageMeter()
  const result = (inputTokens: number, costUSD: number) =>
    meter.result({ type: "result", subtype: "success", modelUsage: { m: { inputTokens, outputTokens: 1, costUSD } } })
  expect(result(100, 0.5)).toMatchObject({ input_tokens: 100, cost_usd: 0.5 })
  expect(result(150, 0.75)).toMatchObject({ input_tokens: 50, cost_usd: 0.25 })
  expect(result(150, 0.75)).toBeUndefined()
  expect(result(10, 0)).toEqual({ input_tokens: 10, output_tokens: 1, cached_tokens: 0 })
})

test.each([
  [undefined, undefined],
  [60_000, "30000"],
  [90_001, "45000"],
])("its MCP servers have half of what an opening has: %s", (mcpWithinMs, waits) => {
  const { MCP_CONNECT_TIMEOUT_MS, MCP_CONNECTION_NONBLOCKING } = environment({}, {}, { mcpWithinMs })
  expect(MCP_CONNECT_TIMEOUT_MS).toBe(waits)
  expect(MCP_CONNECTION_NONBLOCKING).toBe(waits && "0")
})

import { expect, test, vi } from "vitest"
import { KnownTools } from "../../../src/drivers/acp/known-tools.ts"
import { sizeOf } from "../../../src/drivers/acp/size.ts"
import { weightOf } from "../../../src/drivers/acp/tool.ts"

test.each([
  ["a text", "x".repeat(1_000)],
  ["an object", { path: "/a", text: "x".repeat(1_000), lines: [1, 20, 300] }],
  ["content", [{ type: "content", content: { type: "text", text: "x".repeat(1_000) } }]],
  ["many small ones", Array.from({ length: 500 }, (_, n) => ({ n, is: true, no: null }))],
])("the size of %s is about that of its JSON", (_, value) => {
  const { length } = JSON.stringify(value)
  expect(sizeOf(value)).toBeGreaterThan(0.8 * length)
  expect(sizeOf(value)).toBeLessThan(1.5 * length)
})

test("what a call holds is weighed with every update, and written by none", () => {
  const tools = new KnownTools(() => {})
  const written = vi.spyOn(JSON, "stringify")
  try {
    for (let n = 1; n <= 10; n++) {
      const text = "x".repeat(1_000 * n)
      const content = [{ type: "content", content: { type: "text", text } }]
      const tool = tools.take("c", { toolCallId: "c", rawOutput: text, content }, false)
      tools.weigh(tool)
      expect(weightOf(tool)).toBeGreaterThanOrEqual(2 * text.length)
    }
    expect(written).not.toHaveBeenCalled()
  } finally {
    written.mockRestore()
  }
})

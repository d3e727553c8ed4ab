import { rmSync } from "node:fs"
import { afterAll, expect, test } from "vitest"
import { claimsOf } from "./claims.ts"

const { folder, compiled } = claimsOf("claude-reads.ts")
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test("what Claude Code's package declares is what our driver reads", () => {
  expect(compiled()).toBe("")
})

test("a name that the package does not have is found", () => {
  expect(compiled('"api_error" | "tool_use_meta"', '"api_error"')).toContain("claims.ts")
})

test("a message that cannot be read so is found", () => {
  expect(compiled("Read<theirs.SDKRateLimitEvent, ours.RateLimitLine>", "Read<Result, ours.RateLimitLine>")).toContain(
    "claims.ts",
  )
})

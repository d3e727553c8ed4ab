import { rmSync } from "node:fs"
import { afterAll, expect, test } from "vitest"
import { claimsOf } from "./claims.ts"

const { folder, compiled } = claimsOf("pi-reads.ts")
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test("what Pi's package declares is what our driver reads", () => {
  expect(compiled()).toBe("")
})

test("a name that the package does not have, and a message that cannot be read so, are found", () => {
  expect(compiled('"extensionPath" | ', "")).toContain("claims.ts")
  expect(compiled("Read<Plain<Tool>,", "Read<Plain<Dialog>,")).toContain("claims.ts")
})

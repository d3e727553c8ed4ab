import { spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, expect, test } from "vitest"
import { repository } from "../../../../scripts/schemas/document.ts"

const folder = mkdtempSync(join(tmpdir(), "claude-reads-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const text = readFileSync(join(import.meta.dirname, "claude-reads.ts"), "utf8")
const drivers = join(repository, "packages/daemon/src")

/** What the compiler says of the claims, with words exchanged. */
function compiled(from = "", to = ""): string {
  const claims = text.replace(from, to).replaceAll('"../../src/', `"${drivers}/`)
  const file = join(folder, "claims.ts")
  writeFileSync(file, claims)
  const flags = ["--ignoreConfig", "--noEmit", "--strict", "--skipLibCheck", "--allowImportingTsExtensions"]
  const modules = ["--module", "preserve", "--moduleResolution", "bundler", "--target", "esnext", "--types", ""]
  const tsc = join(repository, "node_modules/typescript/bin/tsc")
  const { stdout, stderr } = spawnSync("node", [tsc, ...flags, ...modules, file], { cwd: folder, encoding: "utf8" })
  return stdout + stderr
}

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

import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, expect, test, vi } from "vitest"
import { recordedPath } from "../../../../scripts/schemas/document.ts"
import { schemas } from "./command.ts"

const folder = mkdtempSync(join(tmpdir(), "schemas-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

// A package manager that gives up takes its time on a busy machine.
vi.setConfig({ testTimeout: 10 * 60_000 })

/** A machine with no network that has never fetched anything. */
const offline = {
  XDG_CACHE_HOME: join(folder, "cache"),
  npm_config_cache: join(folder, "npm"),
  npm_config_registry: "http://127.0.0.1:9/",
  npm_config_fetch_retries: "0",
}

const recorded = (agent: string): string => readFileSync(recordedPath(agent), "utf8")

test("where a source is absent the recorded schema stays, and the command says why", () => {
  const before = ["codex", "pi"].map(recorded)
  const { code, out } = schemas(["codex", "pi"], offline)
  expect(out).toMatch(/^kept codex \d+\.\d+\.\d+: npm cannot fetch @openai\/codex@\S+: .*ECONNREFUSED/m)
  expect(out).toMatch(/^kept pi \d+\.\d+\.\d+: npm cannot fetch @earendil-works\/pi-coding-agent@\S+: .*ECONNREFUSED/m)
  expect(code).toBe(0)
  expect(["codex", "pi"].map(recorded)).toEqual(before)
})

test("unless it was asked to be strict", () => {
  const { code, out } = schemas(["amp", "--strict"], offline)
  expect(out).toMatch(/^✗ kept amp \S+: npm cannot fetch @sourcegraph\/amp-sdk@/)
  expect(code).toBe(1)
})

test("a version that is not there cannot be compared", () => {
  const { code, out, err } = schemas(["diff", "claude", "2.1.1"], offline)
  expect(out).toBe("")
  expect(err).toContain("npm cannot fetch @anthropic-ai/claude-agent-sdk@0.3.1:")
  expect(code).toBe(1)
})

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, expect, test } from "vitest"
import { sources } from "../../../../scripts/schemas/agents.ts"
import { closure, schemasOf } from "../../../../scripts/schemas/closure.ts"
import { readDocument, recordedPath } from "../../../../scripts/schemas/document.ts"
import { check } from "../../../../scripts/schemas/record.ts"
import { schemas } from "./command.ts"

const agents = Object.keys(sources)
const folder = mkdtempSync(join(tmpdir(), "schemas-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test("five agents have schemas", () => {
  expect(agents.toSorted((left, right) => (left < right ? -1 : 1))).toEqual([
    "amp",
    "claude",
    "codex",
    "opencode",
    "pi",
  ])
})

test.each(agents)("%s: the types of the driver are what the recorded schema gives", (agent) => {
  expect(check(agent).filter(({ failed }) => failed)).toEqual([])
})

test.each(agents)("%s: the recorded schema is whole and says what it is", (agent) => {
  const { $schema, title, $defs, "x-methods": methods, "x-stamp": stamp } = readDocument(recordedPath(agent))
  expect($schema).toBe("https://json-schema.org/draft/2020-12/schema")
  expect(title).toBe(`${agent} ${stamp.version}`)
  expect(stamp).toMatchObject({ agent, digest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/) })
  const all = [
    ...Object.values($defs),
    ...Object.values(methods).flatMap((named) => Object.values(named).flatMap(schemasOf)),
  ]
  // Throws for a name without a definition.
  expect(closure(all, $defs).size).toBeGreaterThan(10)
})

test("the command needs no network to check, and says what it checked", () => {
  const nowhere = { npm_config_registry: "http://127.0.0.1:9/", XDG_CACHE_HOME: join(folder, "cache") }
  const { code, out, err } = schemas(["codex", "opencode", "--check"], nowhere)
  expect(err).toBe("")
  expect(out).toBe(`codex ${sources.codex?.version}\nopencode ${sources.opencode?.version}\n`)
  expect(code).toBe(0)
})

test("a schema changed by hand is not taken", () => {
  const path = join(folder, "codex.json")
  const text = readFileSync(recordedPath("codex"), "utf8")
  writeFileSync(path, text.replace('"turn/interrupt"', '"turn/abort"'))
  expect(() => readDocument(path)).toThrow("was changed by hand")
  writeFileSync(path, "{}")
  expect(() => readDocument(path)).toThrow("is not a schema recorded by npm run schemas")
})

test("what the command cannot do it says, and fails", () => {
  const unknown = schemas(["nobody"])
  expect(unknown.err).toBe("no schemas of nobody; there are: claude, codex, opencode, amp, pi\n")
  expect(unknown.code).toBe(1)
  const halfway = schemas(["diff", "codex"])
  expect(halfway.err).toContain("diff needs an agent and a version")
  expect(halfway.code).toBe(1)
})

import { spawnSync } from "node:child_process"
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { fetched } from "@sandbox-agent/test-agents/fetched"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { buildOpenApi } from "../src/openapi.ts"

// In a folder of its own: it needs a TypeScript with an API, which the one of this repository has not.
const generator = {
  name: "openapi-typescript-7.13.0",
  spec: "openapi-typescript@7.13.0",
  also: ["typescript@5.9.3"],
  file: "openapi-typescript/bin/cli.js",
}
const root = fileURLToPath(new URL("../../..", import.meta.url))
const folder = mkdtempSync(join(tmpdir(), "sandbox-agent-types-"))
const made = join(folder, "openapi.ts")

beforeAll(() => {
  const document = join(folder, "openapi.json")
  writeFileSync(document, JSON.stringify(buildOpenApi("0.0.0")))
  const { status, stderr } = spawnSync(process.execPath, [fetched(generator), document, "-o", made], {
    encoding: "utf8",
  })
  if (status !== 0) throw new Error(`no types could be made: ${stderr}`)
}, 300_000)
afterAll(() => rmSync(folder, { recursive: true }))

/** The types without what is said of them. */
const typesOf = (text: string): string => text.replaceAll(/ *\/\*\*[\s\S]*?\*\/\n/g, "")
/** The text between two lines. */
function between(text: string, first: string, last: string): string {
  const start = text.indexOf(first)
  const end = text.indexOf(last, start)
  if (start < 0 || end < 0) throw new Error(`no ${first} … ${last}`)
  return text.slice(start, end)
}

describe("types made of the OpenAPI document", () => {
  test("are those a person would write, and narrow by `type`", () => {
    copyFileSync(join(import.meta.dirname, "generated-types/usage.ts"), join(folder, "usage.ts"))
    const flags = ["--noEmit", "--strict", "--module", "preserve", "--target", "esnext", "--allowImportingTsExtensions"]
    const words = [join(root, "node_modules/typescript/bin/tsc"), ...flags, "--types", "", join(folder, "usage.ts")]
    const { status, stdout, stderr } = spawnSync("node", words, { cwd: folder, encoding: "utf8" })
    expect(stdout + stderr).toBe("")
    expect(status).toBe(0)
  })

  test("leave only JSON of others unknown, and no record of nothing but where there is nothing to say", () => {
    const schemas = typesOf(between(readFileSync(made, "utf8"), "    schemas: {", "    responses: never"))
    const unknown = schemas.split("\n").filter((line) => /\bunknown\b(?!")/.test(line))
    expect(unknown.map((line) => line.trim())).toEqual(["JsonValue: unknown;"])
    const empty = schemas.split("\n").filter((line) => line.includes("Record<string, never>"))
    expect(empty.map((line) => line.trim())).toEqual([
      "EmptyRequest: Record<string, never>;",
      "data: Record<string, never>;", // of session.deleted
    ])
  })

  test("name the body of every request", () => {
    const operations = typesOf(readFileSync(made, "utf8")).split("export interface operations")[1] ?? ""
    const bodies = [...operations.matchAll(/requestBody\??: \{\s*content: \{\s*"application\/json": ([^\n]*)/g)]
    expect(bodies.length).toBeGreaterThan(10)
    for (const [, body] of bodies) expect(body).toMatch(/^components\["schemas"\]\["\w+"\];$/)
  })
})

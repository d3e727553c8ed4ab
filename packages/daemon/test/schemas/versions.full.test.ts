import { describe, expect, test } from "vitest"
import { sources } from "../../../../scripts/schemas/agents.ts"
import { documentText, makeDocument, readDocument, recordedPath } from "../../../../scripts/schemas/document.ts"
import { sourceOf } from "../../../../scripts/schemas/record.ts"
import { schemas } from "./command.ts"

/** Programs of hundreds of megabytes are fetched on a bare machine. */
const FETCH_MS = 30 * 60_000

test.each(Object.keys(sources))("%s: the real source gives what is recorded", { timeout: FETCH_MS }, async (agent) => {
  const { version, extract } = sourceOf(agent)
  const recorded = readDocument(recordedPath(agent))
  const fresh = makeDocument(agent, version, await extract(version))
  expect(fresh["x-stamp"]).toEqual(recorded["x-stamp"])
  expect(documentText(fresh) === documentText(recorded)).toBe(true)
})

describe("what changed between two real versions", { timeout: FETCH_MS }, () => {
  test("codex 0.165.0 and 0.166.0", () => {
    const { code, out } = schemas(["diff", "codex", "0.165.0"])
    expect(code).toBe(0)
    expect(out).toMatch(/^codex 0\.165\.0 → \S+: \d+ breaking, \d+ changed, \d+ added\n/)
    expect(section(out, "Breaking, used by the driver")).toContain('  ReviewDelivery: value "detached" removed')
    expect(section(out, "Changed, used by the driver")).toContain('  CodexErrorInfo: "policyCapacityUnavailable" added')
    expect(section(out, "Added, used by the driver")).toContain("    .startedAtMs: added (integer | null)")
    expect(section(out, "Added")).toContain("  clientRequests accountSession/list: added")
  })

  test("claude 2.1.197 and 2.1.325, from the types of its package", () => {
    const { code, out } = schemas(["diff", "claude", "2.1.197"])
    expect(code).toBe(0)
    expect(section(out, "Breaking")).toContain("  tools REPL: removed")
    expect(section(out, "Changed, used by the driver")).toContain('  TerminalReason: value "api_error" added')
    expect(section(out, "Added, used by the driver")).toContain("  messages conversation_reset: added")
  })

  test("opencode 1.18.14 and 1.18.18, asked of the running server", () => {
    const { code, out } = schemas(["diff", "opencode", "1.18.14", recordedPath("opencode")])
    expect(out).toBe("opencode 1.18.14 → 1.18.18: no change\n")
    expect(code).toBe(0)
  })
})

/** The lines under a title. */
function section(text: string, title: string): string[] {
  const lines = text.split("\n")
  const start = lines.findIndex((line) => line.replace(/ \(\d+\)$/, "") === title)
  expect(start, `${title} in\n${text}`).toBeGreaterThan(0)
  const length = lines.slice(start).indexOf("")
  return lines.slice(start + 1, start + length)
}

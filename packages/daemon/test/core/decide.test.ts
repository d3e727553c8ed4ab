import type { PermissionKind } from "@sandbox-agent/schema/request"
import type { PermissionMode } from "@sandbox-agent/schema/session"
import { expect, test } from "vitest"
import { decide } from "../../src/core/decide.ts"

const kinds: PermissionKind[] = ["command", "file_change", "tool", "network", "other"]
const modes: PermissionMode[] = ["default", "acceptEdits", "plan", "bypass"]

/** What SPEC §5 says, written once more as a table: mode, kinds, with or without a rule, reading or not. */
type Row = [mode: PermissionMode, kinds: PermissionKind[], rule: boolean, readOnly: boolean, verdict: string]
const rest = (...without: PermissionKind[]) => kinds.filter((kind) => !without.includes(kind))

const table: Row[] = [
  ["default", kinds, false, false, "ask"],
  ["default", kinds, false, true, "ask"],
  ["default", kinds, true, false, "allow by rule"],
  ["default", kinds, true, true, "allow by rule"],
  ["acceptEdits", ["file_change"], false, false, "allow by mode"],
  ["acceptEdits", ["file_change"], false, true, "allow by mode"],
  ["acceptEdits", rest("file_change"), false, false, "ask"],
  ["acceptEdits", rest("file_change"), false, true, "ask"],
  ["acceptEdits", kinds, true, false, "allow by rule"],
  ["acceptEdits", kinds, true, true, "allow by rule"],
  ["plan", ["command", "file_change"], false, false, "reject by mode"],
  ["plan", rest("command", "file_change"), false, false, "ask"],
  ["plan", kinds, false, true, "allow by mode"],
  ["plan", ["command", "file_change"], true, false, "reject by mode"],
  ["plan", rest("command", "file_change"), true, false, "ask"],
  ["plan", kinds, true, true, "allow by mode"],
  ["bypass", kinds, false, false, "allow by mode"],
  ["bypass", kinds, false, true, "allow by mode"],
  ["bypass", kinds, true, false, "allow by mode"],
  ["bypass", kinds, true, true, "allow by mode"],
]
const cases = table.flatMap(([mode, of, rule, readOnly, verdict]) =>
  of.map((kind) => ({ mode, kind, rule, readOnly, verdict })),
)

test("the table has every combination once", () => {
  const seen = new Set(cases.map(({ mode, kind, rule, readOnly }) => `${mode} ${kind} ${rule} ${readOnly}`))
  expect([seen.size, cases.length]).toEqual([modes.length * kinds.length * 4, modes.length * kinds.length * 4])
})

test.each(cases)(
  "$mode, $kind, rule: $rule, read only: $readOnly → $verdict",
  ({ mode, kind, rule, readOnly, verdict }) => {
    const rules = new Set(rule ? ["other", "the rule"] : ["other", "the rules"])
    const decision = decide({ kind, readOnly, covers: ["first", "the rule"] }, mode, rules)
    expect(decision.verdict === "ask" ? "ask" : `${decision.verdict} by ${decision.by}`).toBe(verdict)
    if (decision.verdict !== "ask") expect(decision.reason).not.toBe("")
  },
)

test("rule keys are compared as they are, no globs", () => {
  const asked = { kind: "command" as const, covers: ["git push"] }
  for (const rule of ["git *", "git", "GIT PUSH", "git push "])
    expect(decide(asked, "default", new Set([rule])).verdict).toBe("ask")
})

test("a yes that lasts is given by bypass and by a rule for it alone", () => {
  const verdicts = (allowed: "for_good" | "never", rules: string[], readOnly = false) =>
    modes.map((mode) => decide({ kind: "file_change", covers: ["r"], allowed, readOnly }, mode, new Set(rules)).verdict)
  expect(verdicts("for_good", [])).toEqual(["ask", "ask", "reject", "allow"])
  expect(verdicts("for_good", ["r"])).toEqual(["allow", "allow", "reject", "allow"])
  expect(verdicts("never", ["r"])).toEqual(["ask", "ask", "reject", "reject"])
  expect(verdicts("for_good", [], true)).toEqual(["ask", "ask", "reject", "allow"])
})

import { spawnSync } from "node:child_process"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { unifiedDiff } from "../../../src/drivers/shared/unified-diff.ts"
import { temporaryFolder } from "../mock/session.ts"

/** Applies a diff with the real program; gives the file it leaves. */
function patched(folder: string, before: string | undefined, diff: string): string {
  const file = join(folder, "a.txt")
  spawnSync("rm", ["-f", file])
  if (before !== undefined) writeFileSync(file, before)
  const { status, stderr } = spawnSync("git", ["apply", "-p1", "--whitespace=nowarn", "-"], {
    cwd: folder,
    input: diff,
  })
  expect(stderr.toString()).toBe("")
  expect(status).toBe(0)
  return existsSync(file) ? readFileSync(file, "utf8") : ""
}

const numbered = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, i) => `line ${from + i}\n`).join("")

describe("the diff of an edit", () => {
  test("is empty when nothing changed", () => {
    expect(unifiedDiff("a.txt", "same\n", "same\n")).toBe("")
  })

  test("shows three lines around a change", () => {
    const diff = unifiedDiff("a.txt", numbered(1, 9), `${numbered(1, 4)}five\n${numbered(6, 9)}`)
    expect(diff).toBe(
      "--- a/a.txt\n+++ b/a.txt\n@@ -2,7 +2,7 @@\n line 2\n line 3\n line 4\n-line 5\n+five\n line 6\n line 7\n line 8\n",
    )
  })

  test("parts far changes into hunks and joins near ones", () => {
    const before = numbered(1, 40)
    const change = (...lines: number[]) =>
      lines.reduce((text, n) => text.replace(`line ${n}\n`, `changed ${n}\n`), before)
    const hunks = (after: string) => unifiedDiff("a.txt", before, after).match(/^@@/gm)?.length
    expect(hunks(change(10, 17))).toBe(2)
    expect(hunks(change(10, 16))).toBe(1)
  })

  test("tells a missing last newline", () => {
    expect(unifiedDiff("a.txt", "a\n", "a")).toBe(
      "--- a/a.txt\n+++ b/a.txt\n@@ -1,1 +1,1 @@\n-a\n+a\n\\ No newline at end of file\n",
    )
  })

  test("of a file that comes or goes", () => {
    expect(unifiedDiff("/w/a", undefined, "x")).toBe(
      "--- /dev/null\n+++ b/w/a\n@@ -0,0 +1,1 @@\n+x\n\\ No newline at end of file\n",
    )
    expect(unifiedDiff("/w/a", "x\n", undefined)).toBe("--- a/w/a\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-x\n")
    expect(unifiedDiff("/w/a", undefined, "")).toBe("--- /dev/null\n+++ b/w/a\n")
    expect(unifiedDiff("/w/a", "", undefined)).toBe("--- a/w/a\n+++ /dev/null\n")
  })

  test("replaces the middle whole when it is too large to match", () => {
    const [before, after] = [numbered(1, 1500), numbered(1001, 2500)]
    expect(patched(temporaryFolder(), before, unifiedDiff("a.txt", before, after))).toBe(after)
  })

  test("applied by git it gives the new text", () => {
    const folder = temporaryFolder()
    // Few different lines, so that they move and repeat.
    const lines = fc.array(fc.constantFrom("a\n", "b\n", "c\n", "\n", "-\n", "\\ x\n", "é\r\n"), { maxLength: 30 })
    const text = fc.tuple(lines, fc.constantFrom("", "end")).map(([all, last]) => all.join("") + last)
    fc.assert(
      fc.property(fc.option(text, { nil: undefined }), text, (before, after) => {
        fc.pre(before !== after && (before !== undefined || after !== ""))
        expect(patched(folder, before, unifiedDiff("a.txt", before, after))).toBe(after)
      }),
      { numRuns: 150 },
    )
  })
})

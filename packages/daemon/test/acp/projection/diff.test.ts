import fc from "fast-check"
import { expect, test } from "vitest"
import { unifiedDiff } from "../../../src/drivers/shared/unified-diff.ts"
import { changesOf } from "../../../src/faces/acp/projection/v1/diff.ts"

const table: [string, string, object[]][] = [
  ["nothing", "", []],
  ["words", "no diff at all\n- really\n", []],
  ["a new file", "--- /dev/null\n+++ b/x\n@@ -0,0 +1,2 @@\n+a\n+b\n", [{ oldText: null, newText: "a\nb\n", line: 1 }]],
  ["a removed file", "--- a/x\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-a\n", [{ oldText: "a\n", newText: "", line: 1 }]],
  ["counts left out", "@@ -4 +4 @@ function x\n-a\n+b\n", [{ oldText: "a\n", newText: "b\n", line: 4 }]],
  [
    "no last newline",
    "@@ -1,1 +1,1 @@\n-a\n\\ No newline at end of file\n+a\n",
    [{ oldText: "a", newText: "a\n", line: 1 }],
  ],
  [
    "none on both sides",
    "@@ -1,1 +1,1 @@\n-a\n\\ No newline\n+b\n\\ No newline\n",
    [{ oldText: "a", newText: "b", line: 1 }],
  ],
  [
    "lines that look like headers",
    "@@ -1,1 +1,1 @@\n--- a\n+++ b\n",
    [{ oldText: "-- a\n", newText: "++ b\n", line: 1 }],
  ],
  [
    "an empty line without its blank",
    "@@ -1,3 +1,3 @@\n a\n\n-b\n+c\n",
    [{ oldText: "a\n\nb\n", newText: "a\n\nc\n", line: 1 }],
  ],
  [
    "one that was cut",
    "@@ -1,3 +1,3 @@\n a\n-b\n… 9 of 99 characters cut …\n+z\n",
    [{ oldText: "a\nb\n", newText: "a\n", line: 1 }],
  ],
  [
    "two files",
    "--- /dev/null\n+++ b/x\n@@ -0,0 +1,1 @@\n+a\n--- a/y\n+++ b/y\n@@ -9,1 +9,1 @@\n-b\n+c\n",
    [
      { oldText: null, newText: "a\n", line: 1 },
      { oldText: "b\n", newText: "c\n", line: 9 },
    ],
  ],
]
test.each(table)("%s", (_, diff, changes) => {
  expect(changesOf(diff)).toEqual(changes)
})

const file = fc.array(fc.constantFrom("a", "b", "", "-x", "+y", "--- z", "@@ -1 +1 @@", "\\ w"), { maxLength: 30 })
const content = fc.tuple(file, fc.boolean()).map(([lines, newline]) => lines.join("\n") + (newline ? "\n" : ""))

test("a diff, applied hunk by hunk, makes the one file of the other", () => {
  fc.assert(
    fc.property(content, content, (before, after) => {
      let [made, rest] = ["", before]
      for (const { oldText, newText, line } of changesOf(unifiedDiff("x", before, after))) {
        while (made.split("\n").length < line) {
          const next = /^.*\n/.exec(rest)?.[0]
          if (next === undefined) throw new Error(`there is no line ${line}`)
          made += next
          rest = rest.slice(next.length)
        }
        if (!rest.startsWith(oldText ?? "")) throw new Error(`${JSON.stringify(oldText)} is not at line ${line}`)
        made += newText
        rest = rest.slice(oldText?.length ?? 0)
      }
      expect(made + rest).toBe(after)
    }),
    { numRuns: 300 },
  )
})

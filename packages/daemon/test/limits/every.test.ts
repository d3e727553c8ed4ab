import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { limits } from "@sandbox-agent/schema/limits"
import { expect, test } from "vitest"

const tests = join(import.meta.dirname, "..")

/** Limits that another folder overfills: where, and the word that shows it. */
const elsewhere: Partial<Record<keyof typeof limits, [file: string, word: RegExp]>> = {
  settingsFileBytes: ["credentials/discover.test.ts", /limits\.settingsFileBytes/],
  transcriptBytes: ["hostile/agent-homes.test.ts", /limits\.transcriptBytes/],
  skillFiles: ["hostile/skill-folders.test.ts", /limits\.skillFiles/],
  skillBytes: ["hostile/skill-folders.test.ts", /limits\.skillBytes/],
  agentLineDepth: ["hostile/unreadable-lines.test.ts", /limits\.agentLineDepth/],
  streams: ["streaming", /limits\.streams/],
  stalledReaderSeconds: ["streaming/stalled-too-long.test.ts", /limits\.stalledReaderSeconds/],
  resumeTries: ["core/recall.test.ts", /limits\.resumeTries/],
  briefBytes: ["core/brief.test.ts", /limits\.briefBytes/],
  briefDecisions: ["core/recall.test.ts", /limits\.briefDecisions/],
  briefDecisionChars: ["core/recall.test.ts", /limits\.briefDecisionChars/],
  openFilesMs: ["hostile/open-files.test.ts", /openFilesMs: 100/],
  streamsShare: ["hostile/open-files.test.ts", /limits\.streamsShare/],
  shutdownMs: ["durability/shutdown.test.ts", /shutdownMs: 1 /],
}

const here = readdirSync(import.meta.dirname)
  .filter((name) => name.endsWith(".test.ts") && name !== "every.test.ts")
  .map((name) => readFileSync(join(import.meta.dirname, name), "utf8"))
  .join("\n")

function textOf(path: string): string {
  if (path.endsWith(".ts")) return readFileSync(join(tests, path), "utf8")
  const files = readdirSync(join(tests, path)).filter((name) => name.endsWith(".test.ts"))
  return files.map((name) => readFileSync(join(tests, path, name), "utf8")).join("\n")
}

test.each(Object.keys(limits) as (keyof typeof limits)[])("%s is overfilled by a test", (key) => {
  const other = elsewhere[key]
  if (other !== undefined) return expect(textOf(other[0])).toMatch(other[1])
  // Named in a test's title, and used as the number that is exceeded.
  expect(here).toMatch(new RegExp(`test\\("[^"]*\\b${key}\\b`))
  expect(here).toMatch(new RegExp(`limits\\.${key}\\b|\\b${key}[,: ]`))
})

test("nothing is said to be elsewhere that is no limit", () => {
  for (const key of Object.keys(elsewhere)) expect(Object.keys(limits)).toContain(key)
})

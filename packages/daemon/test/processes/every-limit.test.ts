import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { processLimits } from "@sandbox-agent/schema/limits"
import { expect, test } from "vitest"

const here = readdirSync(import.meta.dirname)
  .filter((name) => name.endsWith(".test.ts") && name !== "every-limit.test.ts")
  .map((name) => readFileSync(join(import.meta.dirname, name), "utf8"))
  .join("\n")

test.each(Object.keys(processLimits))("%s is overfilled by a test", (key) => {
  expect(here).toMatch(new RegExp(`test\\("(?:\\w+, )*${key}(?:, \\w+)*: `))
  expect(here).toMatch(new RegExp(`processLimits\\.${key}\\b`))
})

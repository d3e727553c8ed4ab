import { readdirSync } from "node:fs"
import { expect, test } from "vitest"
import { recorded, replay } from "../../drivers/claude/replay.ts"
import { wrongsOfLog } from "./log-check.ts"

const names = readdirSync(new URL("../../fixtures/claude/", import.meta.url))
  .filter((name) => name.endsWith(".jsonl"))
  .map((name) => name.replace(/\.jsonl$/, ""))

test.each(names)("the log of Claude Code's %s is valid ACP for every client, and shows what happened", async (name) => {
  await using stage = await replay(recorded(name))
  expect(stage.events().length).toBeGreaterThan(3)
  expect(wrongsOfLog(stage.events())).toEqual([])
})

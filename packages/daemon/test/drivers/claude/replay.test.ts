import { readdirSync } from "node:fs"
import { describe, expect, test } from "vitest"
import { recorded, replay } from "./replay.ts"

const names = readdirSync(new URL("../../fixtures/claude/", import.meta.url))
  .filter((name) => name.endsWith(".jsonl"))
  .map((name) => name.replace(/\.jsonl$/, ""))

describe("every recorded transcript makes a sound log", () => {
  test.each(names)("%s", async (name) => {
    await using stage = await replay(recorded(name))
    expect(stage.wrongs()).toEqual([])
  })
})

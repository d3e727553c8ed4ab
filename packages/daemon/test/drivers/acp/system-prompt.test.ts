import { expect, test } from "vitest"
import { startLive } from "./live.ts"

test.each(["claude-agent-acp", "codex-acp"])("a system prompt given at create reaches the model of %s", async (id) => {
  await using live = await startLive(id, ["seen"], { create: { systemPrompt: "ZEBRA-MARK" } })
  await live.run("go")
  expect(JSON.stringify(live.model.requests.at(-1)?.body)).toContain("ZEBRA-MARK")
})

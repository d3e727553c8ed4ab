import { expect, test } from "vitest"
import { startLive } from "./live.ts"

test.each(["claude-agent-acp", "codex-acp"])("a system prompt given at create reaches the model of %s", async (id) => {
  await using live = await startLive(id, ["seen"], { create: { systemPrompt: "ZEBRA-MARK" } })
  await live.run("go")
  // One of them also asks for a title, without it, and that may come last.
  const asked = live.model.requests.map(({ body }) => JSON.stringify(body))
  expect(asked).toContainEqual(expect.stringContaining("ZEBRA-MARK"))
})

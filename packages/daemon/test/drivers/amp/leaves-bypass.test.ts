import { join } from "node:path"
import { expect, test } from "vitest"
import { patchSession } from "../../../src/core/settings.ts"
import { asked, start } from "./replay.ts"

const line = (role: "user" | "assistant", content: object[], more: object = {}) => ({
  type: role,
  parent_tool_use_id: null,
  message: { role, content, ...more },
})

test("a turn that leaves bypass together with something else changes no settings of Amp any more", async () => {
  const { stage, process, session } = await start()
  await using _stage = stage
  await stage.post("go")
  await process.until(({ type }) => type === "user")
  process.say(line("user", [{ type: "text", text: "go" }]))
  expect(await patchSession(session, { permissionMode: "acceptEdits", variant: "max" })).toBe("reopen")
  const input = { path: join(stage.workspace, ".amp/settings.json"), content: "{}" }
  process.say(line("assistant", [{ type: "tool_use", id: "c", name: "create_file", input }]))
  expect(await asked(process, { tool: "create_file", call: "c", input })).toMatchObject({
    refuse: expect.stringContaining("decide what it asks for"),
  })
})

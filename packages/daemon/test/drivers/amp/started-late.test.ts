import { expect, test } from "vitest"
import type { Native } from "../../../src/core/driver.ts"
import { closeProcess, killProcess } from "../../../src/core/process.ts"
import { start } from "./replay.ts"

const said = (role: "user" | "assistant", more: object = {}) => ({
  type: role,
  parent_tool_use_id: null,
  message: { role, content: [{ type: "text", text: "hello" }], ...more },
})

test.each([
  ["closed", closeProcess],
  ["killed", killProcess],
] as const)("an Amp that is %s while it is started for a message is not started any more", async (_, end) => {
  const { stage, process, session } = await start()
  await using _stage = stage
  await stage.post("one")
  await process.until(({ type }) => type === "user")
  process.say(said("user"))
  process.say(said("assistant", { stop_reason: "end_turn" }))
  const { options } = process
  process.options = undefined
  options?.onExit({ code: 0 })
  const native = session.native as Native
  const { send } = native
  const sent = Promise.withResolvers<void>()
  native.send = (message) => {
    const given = send(message)
    given.then(sent.resolve, sent.reject)
    void end(session)
    return given
  }
  await stage.post("two")
  await sent.promise
  expect(process.options).toBeUndefined()
})

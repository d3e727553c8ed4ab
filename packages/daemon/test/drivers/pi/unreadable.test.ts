import { limits } from "@sandbox-agent/schema/limits"
import { expect, test } from "vitest"
import { MARK } from "../../../src/drivers/pi/pending-requests.ts"
import { start } from "./replay.ts"

const request = (id: string, more: object) => ({ type: "extension_ui_request", id, method: "input", ...more })
const deep = "[".repeat(limits.agentLineDepth) + "]".repeat(limits.agentLineDepth)

test("an extension that asks for what nobody can read is told that it is cancelled, and so is the log", async () => {
  const { stage, process } = await start()
  await using _ = stage
  const unreadable = {
    title: request("title", { title: 5 }),
    ours: request("ours", { title: `${MARK}{"kind":"permission","input":` }),
    choices: request("choices", { method: "select", title: "Which?" }),
    prompt: request("prompt", { title: "a", prefill: { toString: 1 } }),
    cut: '{"type":"extension_ui_request","id":"cut","method":"input","title":',
    deep: `{"type":"extension_ui_request","id":"deep","method":"input","title":${deep}}`,
  }
  for (const line of Object.values(unreadable)) process.say(line)
  process.options?.onOversize?.('{"type":"extension_ui_request","id":"long","method":"input","title":"x', 20_000_000)
  process.say(request("dance", { method: "dance", title: "Shall we?" }))
  for (const id of [...Object.keys(unreadable), "long", "dance"])
    expect(await process.until((line) => line.id === id)).toEqual({
      type: "extension_ui_response",
      id,
      cancelled: true,
    })
  expect(stage.of("agent.unparsed")).toHaveLength(Object.keys(unreadable).length + 1)
  expect(stage.items().filter(({ kind }) => kind === "unknown")).toHaveLength(1)
  expect(stage.of("question.requested")).toEqual([])
  // What is only shown waits for nothing, and neither do others that are no requests.
  process.say(request("note", { method: "notify", message: "hello" }))
  process.say({ type: "message_update", id: "update" })
  process.say(request("last", { method: "dance" }))
  await process.until(({ id }) => id === "last")
  expect(process.written.filter(({ type }) => type === "extension_ui_response")).toEqual([])
})

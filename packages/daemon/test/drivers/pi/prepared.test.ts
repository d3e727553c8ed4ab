import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { start } from "./replay.ts"

test("a message for the turn that is interrupted while its files are read is not sent", async () => {
  const { stage, process, session } = await start()
  await using _ = stage
  void stage.post("go")
  const { id } = await process.until(({ type }) => type === "prompt")
  process.say({ id, type: "response", command: "prompt", success: true, data: { disposition: "started" } })
  process.say({ type: "agent_start" })
  const path = join(stage.workspace, "dot.png")
  writeFileSync(path, "picture")
  const attachments = [{ path, mime: "image/png" }]
  const steered = session.native?.steer?.({ id: "late", text: "look", attachments })
  const interrupted = session.native?.interrupt()
  expect(await steered).toBe(false)
  const abort = await process.until(({ type }) => type === "abort")
  process.say({ id: abort.id, type: "response", command: "abort", success: true })
  process.say({ type: "agent_end", willRetry: false })
  process.say({ type: "agent_settled", aborted: true })
  await interrupted
  expect(process.written.filter(({ type }) => type === "steer")).toEqual([])
  expect((await stage.until("turn.ended")).data.stop_reason).toBe("cancelled")
})

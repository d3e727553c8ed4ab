import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { cancelTurn } from "../../../src/core/cancel.ts"
import type { Native } from "../../../src/core/driver.ts"
import { type Replay, recordedUntil } from "./replay.ts"

/** A picture to be read before the message can go; no file is read in the time in which it is asked for. */
function attachmentOf(stage: Replay) {
  const path = join(stage.workspace, "dot.png")
  writeFileSync(path, "picture")
  return { path, mime: "image/png" }
}

function nativeOf(stage: Replay): Native {
  const { native } = stage.session
  if (native === undefined) throw new Error("it is not open")
  return native
}

const posted = ({ kind, path }: { kind: string; path?: string }) => kind === "response" && path === "/session"

test("a message that is cancelled while its files are read is not sent, and nothing is aborted", async () => {
  await using stage = await recordedUntil("text", posted)
  const native = nativeOf(stage)
  const send = native.send.bind(native)
  native.send = (message) => {
    const sent = send(message)
    void cancelTurn(stage.session, {})
    void native.interrupt() // as that does, but before anything was read
    return sent
  }
  await stage.post("look", { attachments: [attachmentOf(stage)] })
  const { data } = await stage.until("turn.ended")
  expect(data).toMatchObject({ stop_reason: "cancelled" })
  expect(data.forced).toBeUndefined()
  expect(stage.of("message.updated").at(-1)?.data.state).toBe("withdrawn")
  expect([stage.server.prompts, stage.server.aborts]).toEqual([[], []])
  expect(stage.wrongs()).toEqual([])
})

test("nor is one that was meant for the turn that is interrupted, or for a session that is closed", async () => {
  await using stage = await recordedUntil("text", ({ event }) => JSON.stringify(event ?? "").includes("busy"))
  const native = nativeOf(stage)
  const { prompts, aborts } = stage.server
  const message = { id: "late", text: "look", attachments: [attachmentOf(stage)] }
  const before = prompts.length
  const steered = native.steer?.(message)
  const interrupted = native.interrupt()
  expect(await steered).toBe(false)
  await expect.poll(() => aborts.length).toBe(1)
  for (const asked of aborts) asked.resolve()
  await interrupted
  const sent = native.send(message)
  await native.close()
  await sent
  expect(prompts).toHaveLength(before)
})

import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import type { OutAttachment } from "../../../src/core/driver.ts"
import { call, PuppetStage, say, update } from "./puppet-stage.ts"

const running = { status: "in_progress", rawInput: { command: "npm test" } }
const done = { status: "completed", rawOutput: "3 passed" }

test("a call that begins while a message is being prepared is one of its turn", async () => {
  await using stage = new PuppetStage({}, ["images"])
  const { native } = await stage.open()
  if (native === undefined) throw new Error("it is not open")
  await stage.play({ late: [{ wait: 300 }, call("bg", running)] })
  const path = join(stage.workspace, "picture.png")
  writeFileSync(path, "x")
  /** Pictures are read until the call has begun. */
  const attachments = {
    *[Symbol.iterator](): Generator<OutAttachment> {
      while (!stage.of("item.started").some(({ data }) => data.item.kind === "tool_call"))
        yield { path, mime: "image/png", filename: "picture.png" } as OutAttachment
    },
  }
  const { send } = native
  native.send = (message) => send({ ...message, attachments: attachments as unknown as OutAttachment[] })
  await stage.play(say("meanwhile"))
  native.send = send
  expect(stage.calls()[0]).toBe('call bg {"command":"npm test"}')
  // It has ended with its turn: what comes of it later is nothing new.
  await stage.play(update("bg", done), say("after"))
  expect(stage.calls().slice(1)).toEqual([expect.stringMatching(/^result bg no result/)])
  expect(stage.wrongs()).toEqual([])
})

import type { Item } from "@sandbox-agent/schema/item"
import { expect, test } from "vitest"
import { Fold } from "../../src/core/fold.ts"
import { transcriptOf } from "../../src/core/transcript.ts"
import { setStage } from "./stage.ts"

/** All pieces of the transcript together. */
function transcriptText(session: Parameters<typeof transcriptOf>[0]): string {
  const pieces = transcriptOf(session)
  let all = ""
  for (let piece = pieces.next(pieces.start); piece !== undefined; piece = pieces.next(piece.at))
    all += new TextDecoder().decode(piece.bytes)
  return all
}

const text = { index: 0, type: "text" } as const

/** The same log by two ways: folded by whoever reads it, and kept by the core. */
test("a log folds to what the core holds, in the middle of a turn", async () => {
  await using stage = await setStage()
  await stage.running()
  const { sink } = stage
  stage.say(() => {
    sink.open({ key: "m", kind: "message", content: [{ type: "text", text: "said " }] })
    sink.delta("m", text, "and going on")
    sink.open({ key: "c", kind: "tool_call", content: [{ type: "tool_call", name: "T", arguments: "", call_id: "c" }] })
    sink.delta("c", { index: 0, type: "arguments" }, '{"a":')
    sink.delta("c", { index: 0, type: "arguments" }, "1}")
    sink.open({ key: "r", kind: "tool_result", content: [{ type: "tool_result", call_id: "c", output: "was" }] })
    sink.snapshot("r", { index: 0, type: "output" }, "now")
    sink.ask({ key: "q", type: "permission", kind: "command", action: "Run", covers: [], always: [] })
  })
  const fold = new Fold()
  for (const event of stage.events()) fold.apply(event)
  const { items, sequence } = JSON.parse(transcriptText(stage.session)) as { items: Item[]; sequence: number }
  expect([...fold.items.values()].map(({ item }) => item)).toEqual(items)
  expect(items.map(({ content }) => content[0])).toMatchObject([
    { text: "go" },
    { text: "said and going on" },
    { arguments: '{"a":1}' },
    { output: "now" },
  ])
  expect(fold.lastSequence).toBe(sequence)
  expect([...fold.requests.values()].map(({ status }) => status)).toEqual(["requested"])
  expect([...fold.messages.values()].map(({ state }) => state)).toEqual(["taken"])
  expect([...fold.turns.values()].map(({ endedSeq }) => endedSeq)).toEqual([undefined])
})

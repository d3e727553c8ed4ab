import { readdirSync } from "node:fs"
import { describe, expect, test } from "vitest"
import { recorded, replay } from "./replay.ts"

const names = readdirSync(new URL("../../fixtures/pi/", import.meta.url))
  .filter((name) => name.endsWith(".jsonl"))
  .map((name) => name.replace(/\.jsonl$/, ""))

describe("every recorded transcript makes a sound log", () => {
  test.each(names)("%s", async (name) => {
    const lines = recorded(name)
    await using stage = await replay(lines)
    expect(stage.wrongs()).toEqual([])
    const prompted = lines.some(({ dir, msg }) => dir === "in" && msg.type === "prompt")
    expect(stage.of("turn.ended").length > 0).toBe(prompted)
  })
})

describe("and the log says what happened", () => {
  const said = [
    ["06-thinking-anthropic", ["thinks: Let me think about it. Step one. Step two.", "assistant: The answer is 42."]],
    ["23-old-0.73.1-basic", ["assistant: I will run it.", "call bash", "result hi\nho\n"]],
    ["04-parallel-tools", ["call bash", "call bash", "result alpha\n", "result one\ntwo\n"]],
    ["11-image", ["assistant: I see a picture"]],
  ] as const
  test.each(said)("%s", async (name, lines) => {
    await using stage = await replay(recorded(name))
    expect(stage.transcript().slice(1, 1 + lines.length)).toEqual(lines)
  })

  const ends = [
    ["07-abort-stream", ["cancelled", "end_turn"]],
    ["08-abort-tool", ["cancelled"]],
    ["10-errors-retry", ["end_turn", "invalid_request", "authentication_failed", "server_error", "server_error"]],
    ["26-startup-errors-noconfig", ["authentication_failed"]],
    ["28-prompt-then-eof", ["agent_process_exited"]],
    ["31-v0.87.1-basic", ["end_turn"]],
  ] as const
  test.each(ends)("%s ends with %j", async (name, stops) => {
    await using stage = await replay(recorded(name))
    const ended = stage.of("turn.ended").map(({ data }) => data.error?.code ?? data.stop_reason)
    expect(ended.slice(0, stops.length)).toEqual(stops)
  })

  test("what a command says comes as it is said, and no word of it twice", async () => {
    await using stage = await replay(recorded("02-tool-bash"))
    const deltas = stage.of("item.delta").filter(({ data }) => data.part.type === "output")
    expect(deltas.slice(0, 3).map(({ data }) => data.delta)).toEqual(["line1\n", "line2\n", "line3\n"])
    const [, failed] = stage.items().filter(({ kind }) => kind === "tool_result")
    expect(failed).toMatchObject({ status: "failed", content: [{ is_error: true }] })
  })

  test("a half that will be asked for again is not the answer, one that is not stays", async () => {
    await using stage = await replay(recorded("10-errors-retry"))
    expect(stage.transcript()).toContain("assistant: recovered")
    expect(stage.labels()).toEqual(["pi.retry", "pi.retry"])
    expect(stage.items().at(-1)).toMatchObject({ status: "failed", content: [{ text: "partial then " }] })
  })

  test("files that are made and changed, and one that is read", async () => {
    await using stage = await replay(recorded("03-tools-read-write-edit"))
    const files = stage.items().flatMap(({ content }) => content.filter((part) => part.type === "file_ref"))
    expect(files.map(({ action }) => action)).toEqual(["write", "read", "patch"])
    expect(files[2]?.diff).toContain("+pi")
  })

  test("permissions: refused, given, one after the other, and given up by an interrupt", async () => {
    await using stage = await replay(recorded("16-permission-gate"))
    const verdicts = stage.of("permission.resolved").map(({ data }) => `${data.kind} ${data.status}`)
    expect(verdicts.slice(0, 5)).toEqual([
      "command reject",
      ...["command accept", "command accept", "command accept"],
      "command cancelled",
    ])
    expect(stage.of("permission.requested")[0]?.data).toMatchObject({
      detail: { command: "echo secret > gate.out" },
      choices: ["once", "always", "reject"],
      call_id: expect.any(String),
    })
  })

  test("a steered message stands where the model saw it", async () => {
    await using stage = await replay(recorded("09-steer-followup"))
    const said = stage.transcript()
    expect(said.indexOf("user: SAY via prompt+followUp")).toBe(said.indexOf("assistant: via prompt+followUp") - 1)
    expect(stage.of("turn.ended")[0]?.data.message_ids).toHaveLength(2)
  })

  test("what waited for a turn that was interrupted comes back, and goes again", async () => {
    await using stage = await replay(recorded("32-abort-with-queue"))
    const states = stage.of("message.updated").map(({ data }) => data.state)
    expect(states).toContain("queued")
    expect(stage.of("turn.ended")[0]?.data).toMatchObject({
      stop_reason: "cancelled",
      message_ids: [expect.any(String)],
    })
  })

  test("its own life is told: compaction, retries, what an extension says", async () => {
    await using compacted = await replay(recorded("29-compact-auto-threshold"))
    expect(compacted.labels()).toEqual(["pi.compacting", "pi.compacted", "pi.compacting", "pi.compacted"])
    await using handled = await replay(recorded("22-extension-error"))
    expect(handled.labels()).toEqual(["pi.notify"])
    expect(handled.of("turn.ended").at(-1)?.data.stop_reason).toBe("end_turn")
  })
})

import { writeFileSync } from "node:fs"
import { fromMain, fromSubagent } from "@sandbox-agent/scripted-model/match"
import { gate, hold, reply, text, toolCall } from "@sandbox-agent/scripted-model/script"
import { when } from "@sandbox-agent/scripted-model/step"
import { versions } from "@sandbox-agent/test-agents/claude"
import { describe, expect, test } from "vitest"
import { cancelTurn } from "../../../src/core/cancel.ts"
import { type Live, startLive } from "./live.ts"

const agent = (background: boolean) =>
  reply(
    "Delegating.",
    toolCall("Agent", {
      description: "Do subtask",
      prompt: "Do it",
      subagent_type: "general-purpose",
      run_in_background: background,
    }),
  )
const touch = reply("Working.", toolCall("Bash", { command: "touch sub" }))
const callOf = (live: Live, name: string) =>
  live.items().find(({ content }) => content.some((part) => part.type === "tool_call" && part.name === name))

describe.each(versions)("claude %s", (version) => {
  test("what a sub-agent does hangs on its call, its permissions too", async () => {
    const script = [
      when(fromMain(), agent(false)),
      when(fromSubagent(), touch),
      when(fromSubagent(), "Sub report."),
      when(fromMain(), "All done."),
    ]
    await using live = await startLive(script, { version })
    const turn = live.run("delegate")
    await live.reply((await live.permission()).permission_id, "once")
    expect(await turn).toMatchObject({ stop_reason: "end_turn" })
    const parent = callOf(live, "Agent")?.item_id
    const inner = live.items().filter(({ parent_id }) => parent_id === parent)
    expect(inner.map(({ kind }) => kind)).toEqual(["message", "tool_call", "tool_result", "message"])
    expect(live.transcript().at(-1)).toBe("assistant: All done.")
    expect(live.transcript().at(-2)).toContain("Sub report.")
    expect(live.session.record.background).toBe(0)
    expect(live.wrongs()).toEqual([])
  })

  test("a sub-agent in the background speaks and asks after the turn, then Claude Code starts one by itself", async () => {
    const held = gate()
    const script = [
      when(fromMain(), agent(true)),
      when(fromSubagent(), reply(hold(held), ...touch.parts)),
      when(fromMain(), "Noted."),
      when(fromSubagent(), "Sub report."),
      when(fromMain(), "It has finished."),
    ]
    await using live = await startLive(script, { version })
    expect(await live.run("delegate")).toMatchObject({ stop_reason: "end_turn" })
    expect(live.session.record.background).toBe(1)
    held.open()
    const asked = await live.permission()
    expect(asked.turn_id).toBeUndefined()
    expect(live.session.status).toBe("waiting")
    await live.reply(asked.permission_id, "once")
    await live.until("turn.ended", ({ data }) => data.message_ids.length === 0)
    const parent = callOf(live, "Agent")?.item_id
    const late = live.items().filter((item) => item.late && item.kind !== "status")
    expect(late.slice(0, 4).map(({ kind, parent_id }) => [kind, parent_id])).toEqual([
      ["message", parent],
      ["tool_call", parent],
      ["tool_result", parent],
      ["message", parent],
    ])
    const results = live.items().filter(({ content }) => content.some((part) => part.type === "tool_result"))
    expect(results[0]?.content).toMatchObject([{ detached: true }])
    expect(results.at(-1)).toMatchObject({ late: true })
    expect(live.of("turn.started").map(({ data }) => data.origin)).toEqual(["message", "agent"])
    expect(live.session.record.background).toBe(0)
    expect(live.wrongs()).toEqual([])
  })

  test("a command in the background brings its output late; it can be stopped", async () => {
    const run = (file: string) => {
      const command = `until [ -e ${file} ]; do sleep 0.05; done; expr 6 \\* 7`
      return reply(toolCall("Bash", { command, run_in_background: true }))
    }
    const script = [run("go-on"), "started", "noted", run("never"), "started again", "noted again"]
    await using live = await startLive(script, { version, create: { permissionMode: "bypass" } })
    await live.run("go")
    writeFileSync(live.file("go-on"), "")
    await live.until("turn.ended", ({ data }) => data.message_ids.length === 0)
    const late = live.items().find((item) => item.late && item.kind === "tool_result")
    expect(late?.content).toMatchObject([{ output: expect.stringMatching(/completed[\s\S]*42/) }])
    await live.run("again")
    expect(live.session.record.background).toBe(1)
    const before = live.session.log.last
    await cancelTurn(live.session, { background: true })
    await live.until("session.updated", ({ data, sequence }) => data.background === 0 && sequence > before)
    expect(live.wrongs(true)).toEqual([])
  })
})

test("a message sent while a turn of Claude Code's own runs is its own turn's", async () => {
  const held = gate()
  const command = "until [ -e go-on ]; do sleep 0.05; done"
  const script = [
    reply(toolCall("Bash", { command, run_in_background: true })),
    "started",
    reply(text(["it has ", hold(held), "finished"])),
    "answer",
  ]
  await using live = await startLive(script, { create: { permissionMode: "bypass" } })
  await live.run("go")
  writeFileSync(live.file("go-on"), "")
  await live.until("item.delta", ({ data }) => data.delta === "it has ")
  const id = await live.post("and now?")
  held.open()
  const { data } = await live.until("turn.ended", ({ data }) => data.message_ids.includes(id))
  expect(data.stop_reason).toBe("end_turn")
  expect(live.transcript().slice(-3)).toEqual(["assistant: it has finished", "user: and now?", "assistant: answer"])
  expect(live.wrongs()).toEqual([])
})

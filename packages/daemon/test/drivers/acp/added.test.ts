import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { cancelTurn } from "../../../src/core/cancel.ts"
import { startAdded } from "./added.ts"

const seen = (text: string) => JSON.parse(text) as { output: string; truncated: boolean; exitCode: number }

test("text streams, turns follow, and nothing is wrong with the log", async () => {
  await using stage = await startAdded()
  expect(await stage.run("say The quick brown fox")).toMatchObject({ stop_reason: "end_turn" })
  expect(await stage.run("say again")).toMatchObject({ stop_reason: "end_turn" })
  expect(stage.transcript()).toEqual([
    ...["user: say The quick brown fox", "assistant: The quick brown fox", "user: say again", "assistant: again"],
  ])
  expect(stage.of("item.delta").length).toBeGreaterThan(2)
  expect(stage.wrongs()).toEqual([])
})

test("files are read and written for it, absolute paths only; in permission mode plan nothing is written", async () => {
  await using stage = await startAdded()
  const path = join(stage.workspace, "notes.txt")
  writeFileSync(path, "one\ntwo\nthree\n")
  await stage.run(`read ${path}`)
  expect(stage.said()).toBe("two")
  const fresh = join(stage.workspace, "deep", "fresh.txt")
  await stage.run(`write ${fresh}`)
  expect([stage.said(), readFileSync(fresh, "utf8")]).toEqual(["ok", "written"])
  await stage.run("write relative.txt")
  expect(stage.said()).toMatch(/^refused: .*not absolute/)
  const planning = await stage.create("planning", { permissionMode: "plan" })
  const never = join(stage.workspace, "never.txt")
  await stage.run(`write ${never}`, planning)
  expect([stage.said(planning), existsSync(never)]).toEqual([
    expect.stringMatching(/^refused: .*plan cannot write/),
    false,
  ])
  expect(stage.wrongs()).toEqual([])
})

test("commands run in terminals of ours, both outputs in order, with their code and within the limit", async () => {
  await using stage = await startAdded()
  await stage.run("run echo out; echo err >&2; exit 3")
  expect(seen(stage.said())).toEqual({ output: "out\nerr\n", truncated: false, exitCode: 3 })
  await stage.run("run i=0; while [ $i -lt 500 ]; do echo line $i; i=$((i+1)); done")
  const { output, truncated } = seen(stage.said())
  expect([output.length <= 1000, truncated, output.endsWith("line 499\n")]).toEqual([true, true, true])
})

test("a permission is answered for this once, by the id of an option that says so; id 0 is an id", async () => {
  await using stage = await startAdded()
  const turn = stage.run("ask touch x")
  const asked = await stage.permission()
  expect(asked).toMatchObject({
    kind: "command",
    detail: { command: "touch x" },
    choices: ["once", "always", "reject"],
  })
  await stage.reply(asked.permission_id, "always")
  await turn
  expect(stage.said()).toBe("yes")
  await stage.run("ask touch x")
  expect(stage.of("permission.resolved").at(-1)?.data).toMatchObject({ status: "accept", by: "rule" })
  const refused = stage.run("ask touch y")
  await stage.reply((await stage.permission(3)).permission_id, "reject", "not in my house")
  await refused
  expect(stage.said()).toBe("no")
  expect(stage.wrongs()).toEqual([])
})

test("a form is a question; its answer comes under the name of its field", async () => {
  await using stage = await startAdded()
  const turn = stage.run("form")
  const { question_id, questions } = await stage.question()
  expect(questions).toMatchObject([
    { header: "Colour", options: [{ label: "Red" }, { label: "Blue" }], required: true },
  ])
  await stage.answer(question_id, [["Blue"]])
  await turn
  expect(JSON.parse(stage.said())).toEqual({ action: "accept", content: { colour: "Blue" } })
})

test("a cancel ends a text and what was asked, and the next message is taken", async () => {
  await using stage = await startAdded()
  for (const [message, type] of [
    ["slow", "item.delta"],
    ["ask rm -rf x", "permission.requested"],
  ] as const) {
    const turn = stage.run(message)
    await stage.until(type)
    await cancelTurn(stage.session, {})
    expect(await turn).toMatchObject({ stop_reason: "cancelled" })
    expect((await turn).forced).toBeUndefined()
  }
  expect(stage.of("permission.resolved").map(({ data }) => data.status)).toEqual(["cancelled"])
  expect(await stage.run("say on")).toMatchObject({ stop_reason: "end_turn" })
  expect(stage.wrongs()).toEqual([])
})

test("a line that is no JSON is told and the turn goes on; a death ends the turn, and it is told of what was said", async () => {
  await using stage = await startAdded()
  expect(await stage.run("garbage")).toMatchObject({ stop_reason: "end_turn" })
  expect(stage.of("agent.unparsed")).toHaveLength(1)
  expect(await stage.run("die")).toMatchObject({ stop_reason: "error", error: { exit_code: 3 } })
  expect(stage.of("session.ended")).toEqual([])
  expect(await stage.run("say again")).toMatchObject({ stop_reason: "end_turn" })
  const rebuilt = stage.of("session.updated").filter(({ data }) => data.context === "rebuilt")
  expect(rebuilt.map(({ data }) => data.reason)).toEqual(["added cannot resume a session"])
})

test("what it says of itself is known from its first session on", async () => {
  await using stage = await startAdded()
  expect(stage.session.driver?.capabilities).toMatchObject({ images: true, resume: false, fork: false, models: false })
})

test("sessions share one process where the entry says so, and each gets its own", async () => {
  await using stage = await startAdded({}, "many")
  const other = await stage.create("other")
  await Promise.all([stage.run("say one"), stage.run("say other", other)])
  expect([stage.said(), stage.said(other)]).toEqual(["one", "other"])
  const supervisor = stage.core.context.supervisor as unknown as { list(): { label: string }[] }
  expect(supervisor.list().filter(({ label }) => label === "added")).toHaveLength(1)
  const asking = stage.run("ask touch x", other)
  await stage.until("permission.requested", () => true, other)
  expect(stage.of("permission.requested")).toEqual([])
  await cancelTurn(other, {})
  expect(await asking).toMatchObject({ stop_reason: "cancelled" })
  expect(await stage.run("say still here")).toMatchObject({ stop_reason: "end_turn" })
  expect(stage.wrongs()).toEqual([])
})

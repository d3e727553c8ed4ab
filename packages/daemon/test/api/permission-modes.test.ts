import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { type CheckedDaemon, startChecked } from "./checked-api.ts"
import { itemsOf, ofType, textOf } from "./transcript.ts"

let daemon: CheckedDaemon
beforeAll(async () => {
  daemon = await startChecked()
})
afterAll(() => daemon.finish())
const path = (name: string) => join(daemon.dataDir, name)

describe("permission mode", () => {
  test("default asks", async () => {
    const { api } = daemon
    await api.create("default")
    const turn = api.turn("default", "/permission touch default-ran")
    const { permission_id } = await api.permission("default")
    await api.ok("POST", `/v1/sessions/default/permissions/${permission_id}/reply`, { reply: "reject" })
    await turn
    expect(existsSync(path("default-ran"))).toBe(false)
  })

  test.each([
    ["/edit default-file text", "file_change", "default-file"],
    ["/run touch default-run", "command", "default-run"],
  ])("default asks before %s", async (message, kind, made) => {
    const { api } = daemon
    const id = `asks-${kind}`
    await api.create(id)
    for (const reply of ["reject", "once"]) {
      const { lastSequence } = await api.session(id)
      const turn = api.turn(id, message)
      const asked = await api.permission(id, lastSequence)
      expect([asked.kind, existsSync(path(made))]).toEqual([kind, false])
      await api.ok("POST", `/v1/sessions/${id}/permissions/${asked.permission_id}/reply`, { reply })
      await turn
    }
    expect(existsSync(path(made))).toBe(true)
  })

  test("bypass never asks permission; questions still come", async () => {
    const { api } = daemon
    await api.create("bypass", { permissionMode: "bypass" })
    const turn = api.turn("bypass", "/permission touch bypass-ran\n/question")
    const { question_id } = await api.question("bypass")
    await api.ok("POST", `/v1/sessions/bypass/questions/${question_id}/reply`, { answers: [["Red"]] })
    const events = await turn
    expect(ofType(events, "permission.resolved")).toMatchObject([{ data: { status: "accept", by: "mode" } }])
    expect(existsSync(path("bypass-ran"))).toBe(true)
  })

  test("plan cannot write: commands and edits are refused, and nothing is on disk", async () => {
    const { api } = daemon
    await api.create("plan", { permissionMode: "plan" })
    const events = await api.turn("plan", "/edit plan-file text\n/run touch plan-run\n/permission touch plan-asked")
    expect(ofType(events, "permission.resolved").map(({ data }) => [data.kind, data.status, data.by])).toEqual([
      ["file_change", "reject", "mode"],
      ["command", "reject", "mode"],
      ["command", "reject", "mode"],
    ])
    expect(
      itemsOf(events)
        .filter((item) => item.kind === "tool_result")
        .every((item) => item.status === "failed"),
    ).toBe(true)
    for (const name of ["plan-file", "plan-run", "plan-asked"]) expect(existsSync(path(name))).toBe(false)
  })

  test("acceptEdits lets files be changed and asks for the rest", async () => {
    const { api } = daemon
    await api.create("edits", { permissionMode: "acceptEdits" })
    const turn = api.turn("edits", "/edit edits-file text\n/permission touch edits-ran")
    const { data: asked } = await api.until("edits", "permission.requested", ({ data }) => data.kind === "command")
    const { permission_id } = asked
    expect(readFileSync(path("edits-file"), "utf8")).toBe("text")
    await api.ok("POST", `/v1/sessions/edits/permissions/${permission_id}/reply`, { reply: "reject" })
    await turn
    expect(existsSync(path("edits-ran"))).toBe(false)
  })

  test.each([
    { mode: "bypass", status: "accept", ran: true },
    { mode: "plan", status: "reject", ran: false },
  ])("a change to $mode decides what is open", async ({ mode, status, ran }) => {
    const { api } = daemon
    const id = `switch-${mode}`
    await api.create(id)
    const turn = api.turn(id, `/permission touch ${id}`)
    await api.permission(id)
    await api.ok("PATCH", `/v1/sessions/${id}`, { permissionMode: mode })
    const events = await turn
    expect(ofType(events, "permission.resolved")).toMatchObject([{ data: { status, by: "mode" } }])
    expect(existsSync(path(id))).toBe(ran)
  })

  test("agent mode plan alone restricts nothing", async () => {
    const { api } = daemon
    await api.create("mode-plan", { agentMode: "plan", permissionMode: "bypass" })
    await api.turn("mode-plan", "/run touch mode-plan")
    expect(existsSync(path("mode-plan"))).toBe(true)
  })
})

describe("plan approval", () => {
  test("Approve leaves plan for default, with session.updated, and writing is possible", async () => {
    const { api } = daemon
    await api.create("approve", { permissionMode: "plan" })
    const turn = api.turn("approve", "/plan\n/run touch approved")
    const asked = await api.question("approve")
    expect(asked).toMatchObject({ purpose: "plan_approval", options: ["Approve", "Reject"] })
    await api.ok("POST", `/v1/sessions/approve/questions/${asked.question_id}/reply`, { answers: [["Approve"]] })
    const { permission_id } = await api.permission("approve")
    await api.ok("POST", `/v1/sessions/approve/permissions/${permission_id}/reply`, { reply: "once" })
    const events = await turn
    expect(textOf(events)).toBe("Plan approved.")
    const modes = ofType(events, "session.updated").filter(({ data }) => data.permission_mode !== undefined)
    // Ours, whatever the agent thinks of its own mode.
    expect(modes).toMatchObject([{ data: { permission_mode: "default" }, source: "daemon" }])
    expect((await api.session("approve")).permissionMode).toBe("default")
    expect(existsSync(path("approved"))).toBe(true)
  })

  test.each([
    { how: "Reject", reply: { answers: [["Reject"]] }, said: "Plan rejected." },
    { how: "a word of one's own", reply: { answers: [["smaller steps"]] }, said: "Plan rejected: smaller steps" },
  ])("$how stays in plan and goes back to the agent", async ({ how, reply, said }) => {
    const { api } = daemon
    const id = `refuse-${how.length}`
    await api.create(id, { permissionMode: "plan" })
    const turn = api.turn(id, "/plan")
    const { question_id } = await api.question(id)
    await api.ok("POST", `/v1/sessions/${id}/questions/${question_id}/reply`, reply)
    expect(textOf(await turn)).toBe(said)
    expect((await api.session(id)).permissionMode).toBe("plan")
  })

  test("approved outside of plan mode it changes no mode", async () => {
    const { api } = daemon
    await api.create("approve-bypass", { permissionMode: "bypass" })
    const turn = api.turn("approve-bypass", "/plan")
    const { question_id } = await api.question("approve-bypass")
    await api.ok("POST", `/v1/sessions/approve-bypass/questions/${question_id}/reply`, { answers: [["Approve"]] })
    await turn
    expect((await api.session("approve-bypass")).permissionMode).toBe("bypass")
  })
})

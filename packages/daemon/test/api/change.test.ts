import type { Session } from "@sandbox-agent/schema/session"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { type CheckedDaemon, startChecked } from "./checked-api.ts"
import { expectProblem } from "./contract-check.ts"
import { ofType, outputOf, textOf } from "./transcript.ts"

let daemon: CheckedDaemon
beforeAll(async () => {
  daemon = await startChecked()
})
afterAll(() => daemon.finish())

const patch = (id: string, body: Record<string, unknown>) =>
  daemon.api.ok<{ session: Session; applied: string }>("PATCH", `/v1/sessions/${id}`, body)

describe("patch", () => {
  test.each([
    { field: "title", value: "New", logged: { title: "New" } },
    { field: "agentMode", value: "plan", logged: { agent_mode: "plan" } },
    { field: "permissionMode", value: "acceptEdits", logged: { permission_mode: "acceptEdits" } },
    { field: "model", value: "mock-small", logged: { model: "mock-small" } },
    { field: "variant", value: "low", logged: { variant: "low" } },
    { field: "metadata", value: { a: { b: 1 } }, logged: { metadata: { a: { b: 1 } } } },
  ])("changes $field, says when it is in force and logs it", async ({ field, value, logged }) => {
    const id = `patch-${field}`
    const { session: before } = await daemon.api.create(id, { metadata: { old: true } })
    const { session, applied } = await patch(id, { [field]: value })
    expect(applied).toBe("now")
    expect(session).toMatchObject({ [field]: value })
    expect(await daemon.api.session(id)).toEqual(session)
    const updates = ofType(await daemon.api.events(id, ""), "session.updated")
    expect(updates.filter((event) => event.sequence > before.lastSequence).map((event) => event.data)).toEqual([logged])
    if (field === "metadata") expect(session.metadata).toEqual(value)
  })

  test("what is already so is not logged again", async () => {
    const { session } = await daemon.api.create("patch-same", { title: "T", permissionMode: "bypass" })
    await patch("patch-same", { title: "T", permissionMode: "bypass", agentMode: "build" })
    expect((await patch("patch-same", {})).session.lastSequence).toBe(session.lastSequence)
  })

  test("a change that is refused changes nothing, also not what stood beside it", async () => {
    const { api } = daemon
    const { session } = await api.create("patch-refused", { title: "Before" })
    for (const bad of [{ model: "nope" }, { variant: "nope" }, { agentMode: "nope" }]) {
      const answer = await api.call("PATCH", "/v1/sessions/patch-refused", {
        title: "After",
        metadata: { x: 1 },
        ...bad,
      })
      expectProblem(answer, "agentMode" in bad ? "mode_not_supported" : "invalid_request")
      expect(await api.session("patch-refused")).toEqual(session)
    }
  })

  test("a new model starts with its default variant, also when the agent is started again", async () => {
    const { api } = daemon
    await api.create("patch-default-variant", { model: "mock-large", variant: "high" })
    expect((await patch("patch-default-variant", { model: "mock-small" })).session.variant).toBeUndefined()
    await api.turn("patch-default-variant", "/crash 1")
    expect(textOf(await api.turn("patch-default-variant", "still here"))).toBe("still here")
  })

  test("a variant that the new model does not have is refused, also where the old one is set to it", async () => {
    const { session } = await daemon.api.create("patch-both", { model: "mock-large", variant: "low" })
    const answer = await daemon.api.call("PATCH", "/v1/sessions/patch-both", { model: "mock-small", variant: "low" })
    expectProblem(answer, "invalid_request")
    expect(await daemon.api.session("patch-both")).toEqual(session)
  })

  test("an ended session takes title and metadata and nothing else", async () => {
    const { api } = daemon
    await api.create("patch-ended")
    await api.ok("POST", "/v1/sessions/patch-ended/terminate")
    const { session } = await patch("patch-ended", { title: "Over", metadata: { done: true } })
    expect(session).toMatchObject({ status: "ended", title: "Over", metadata: { done: true } })
    expectProblem(await api.call("PATCH", "/v1/sessions/patch-ended", { permissionMode: "bypass" }), "conflict")
  })

  test("settings hold for a process that starts later", async () => {
    const { api } = daemon
    await api.create("patch-later")
    await api.turn("patch-later", "one\n/crash 3")
    const { applied } = await patch("patch-later", { permissionMode: "plan" })
    expect(applied).toBe("now")
    const events = await api.turn("patch-later", "/run touch never")
    expect(ofType(events, "permission.resolved")[0]?.data).toMatchObject({ status: "reject", by: "mode" })
  })

  test("the agent's own title comes by the same event", async () => {
    const { api } = daemon
    await api.create("titled")
    const events = await api.turn("titled", "/title  Fix the login ")
    expect(ofType(events, "session.updated")).toMatchObject([{ source: "agent", data: { title: "Fix the login" } }])
    expect((await api.session("titled")).title).toBe("Fix the login")
  })
})

describe("delete", () => {
  test("ends the streams of its readers, forgets the log and frees the id at once", async () => {
    const { api } = daemon
    const { session: first } = await api.create("gone", { title: "first" })
    await api.turn("gone", "remember me")
    await api.send("gone", "/sleep 60000")
    await api.asleep("gone")
    const begun = Promise.withResolvers<void>()
    const reading = (async () => {
      const types: string[] = []
      for await (const event of api.stream("gone")) {
        types.push(event.type)
        begun.resolve()
      }
      return types
    })()
    await begun.promise
    expect(await api.ok("DELETE", "/v1/sessions/gone")).toEqual({ deleted: true })
    expect((await reading).slice(-2)).toEqual(["session.ended", "session.updated"])
    expectProblem(await api.call("GET", "/v1/sessions/gone"), "session_not_found")
    const { session } = await api.create("gone")
    expect(session.title).toBeUndefined()
    expect(session.nativeSessionId).not.toBe(first.nativeSessionId)
    expect((await api.items("gone")).items).toEqual([])
    expect((await api.events("gone"))[0]).toMatchObject({ sequence: 1, type: "session.started" })
  })

  test("a session that hangs is deleted all the same", async () => {
    const { api } = daemon
    await api.create("gone-hanging")
    await api.send("gone-hanging", "/hang")
    await api.until("gone-hanging", "item.completed", ({ data }) => data.item.role === "assistant")
    expect(await api.ok("DELETE", "/v1/sessions/gone-hanging")).toEqual({ deleted: true })
    await api.create("gone-hanging")
    expect(textOf(await api.turn("gone-hanging", "fresh"))).toBe("fresh")
  })

  test("a session made under the id of one that is still being deleted keeps its agent", async () => {
    const { api } = daemon
    await api.create("same")
    await api.send("same", "/hang")
    await api.until("same", "item.completed", ({ data }) => data.item.role === "assistant")
    const deleting = api.ok("DELETE", "/v1/sessions/same")
    while ((await api.call("GET", "/v1/sessions/same")).status === 200) await Bun.sleep(1)
    await api.create("same", { permissionMode: "bypass" })
    const pid = outputOf(await api.turn("same", "/run echo $PPID"))
    await deleting
    expect(outputOf(await api.turn("same", "/run echo $PPID"))).toEqual(pid)
  })

  test("deleted twice at once: one answers, the other finds nothing", async () => {
    const { api } = daemon
    await api.create("gone-twice")
    const methods = ["DELETE", "DELETE", "GET", "DELETE", "GET"]
    const answers = await Promise.all(methods.map((method) => api.call(method, "/v1/sessions/gone-twice")))
    expect(answers.filter((answer, i) => methods[i] === "DELETE" && answer.status === 200).length).toBe(1)
    // One that was loaded again by a late reader would still hold the id.
    await api.create("gone-twice")
  })
})

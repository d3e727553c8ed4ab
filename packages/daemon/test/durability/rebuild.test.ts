import { expect, test } from "vitest"
import type { Api } from "../harness/api.ts"
import { startDaemon } from "../harness/daemon.ts"
import { expectRowsEqualFold, keptDirectory, storedLog, storedSessions, withDatabase } from "./database.ts"
import { faultsOf } from "./invariants.ts"

/** Every kind of event there is, answered in every way. */
async function rich(api: Api): Promise<void> {
  await api.create("rich", { permissionMode: "default", metadata: { a: 1 } })
  await api.turn(
    "rich",
    'plain words\n/think hard\n/tool Look {"a":1}\n/todo\n/usage\n/subagent\n/image\n/title Named\n/unknown\n/garbage\n/stream 2000',
  )
  await api.ok("PATCH", "/v1/sessions/rich", { permissionMode: "bypass" })
  await api.turn("rich", "/run echo out; echo err >&2; exit 3")
  await api.ok("PATCH", "/v1/sessions/rich", { permissionMode: "default" })
  await api.turn("rich", "/error on purpose").catch(() => undefined)
  for (const reply of ["once", "always", "reject"]) {
    const { lastSequence } = await api.session("rich")
    await api.send("rich", `/permission echo ${reply}`)
    const { data } = await api.until("rich", "permission.requested", () => true, lastSequence)
    await api.ok("POST", `/v1/sessions/rich/permissions/${data.permission_id}/reply`, { reply, message: "because" })
    await api.until("rich", "turn.ended", () => true, lastSequence)
  }
  await api.turn("rich", "/permission echo always")
  for (const answer of ["reply", "reject"]) {
    const { lastSequence } = await api.session("rich")
    await api.send("rich", "/questions")
    const { data } = await api.until("rich", "question.requested", () => true, lastSequence)
    const body = answer === "reply" ? { answers: [["Small"], ["Cheese", "Olives"], ["free text"]] } : { message: "no" }
    await api.ok("POST", `/v1/sessions/rich/questions/${data.question_id}/${answer}`, body)
    await api.until("rich", "turn.ended", () => true, lastSequence)
  }
  await cancelled(api)
  await api.turn("rich", "/crash 7")
  await api.turn("rich", "/background 20")
  await api.until("rich", "turn.ended", ({ data }) => data.message_ids.length === 0)
  await api.turn("rich", "back again")
}

/** A turn with an open question is cancelled, with one message queued behind it and one withdrawn. */
async function cancelled(api: Api): Promise<void> {
  await api.ok("PATCH", "/v1/sessions/rich", { permissionMode: "bypass" })
  const { lastSequence } = await api.session("rich")
  await api.send("rich", "/run echo before; sleep 1000\n/question")
  await api.send("rich", "withdrawn", { messageId: "away" })
  await api.send("rich", "after the cancel", { messageId: "after" })
  await api.until("rich", "item.delta", () => true, lastSequence)
  await api.ok("DELETE", "/v1/sessions/rich/messages/away")
  await api.ok("POST", "/v1/sessions/rich/cancel", {})
  await api.until("rich", "turn.ended", ({ data }) => data.message_ids.includes("after"), lastSequence)
}

test("rows of turns, items, requests and messages are what the log amounts to", async () => {
  const dataDir = keptDirectory()
  await using first = await startDaemon({ dataDir })
  await rich(first.api)
  const { forkedAtSequence } = await first.api.ok<{ forkedAtSequence: number }>("POST", "/v1/sessions/rich/fork", {
    id: "child",
  })
  expect(forkedAtSequence).toBeGreaterThan(0)
  await first.api.turn("child", "the child goes on")
  await first.api.create("ended")
  await first.api.send("ended", "/hang")
  await first.api.until("ended", "turn.started")
  await first.api.ok("POST", "/v1/sessions/ended/terminate", {})
  expect(await first.stop()).toBe(0)
  withDatabase(dataDir, (db) => {
    const sessions = storedSessions(db)
    expect(sessions.map((session) => session.id)).toEqual(["rich", "child", "ended"])
    for (const session of sessions) {
      expect(faultsOf(storedLog(db, session.uid)), session.id).toEqual([])
      const fold = expectRowsEqualFold(db, session)
      if (session.id === "rich")
        expect([fold.turns.size > 12, fold.requests.size, fold.messages.get("away")?.state]).toEqual([
          true,
          6,
          "withdrawn",
        ])
    }
  })
})

test("the same after the daemon was killed with everything open", async () => {
  const dataDir = keptDirectory()
  await using first = await startDaemon({ dataDir })
  const { api } = first
  const open: [string, string, "permission.requested" | "question.requested" | "item.delta" | "session.updated"][] = [
    ["permission", "/subagent\n/permission echo x", "permission.requested"],
    ["question", "half a text\n/questions", "question.requested"],
    ["stream", "/stream 100000000", "item.delta"],
    ["run", "/run echo started; sleep 1000", "item.delta"],
    ["background", "/background 600000", "session.updated"],
  ]
  for (const [id, message, sign] of open) {
    await api.create(id, { permissionMode: id === "run" ? "bypass" : "default" })
    await api.send(id, message)
    await api.until(id, sign, (event) => event.type !== "session.updated" || event.data.background === 1)
    for (const next of ["queued 1", "queued 2"]) await api.send(id, next, { messageId: next.replace(" ", "-") })
  }
  first.kill()
  await first.exited
  await using second = await startDaemon({ dataDir })
  for (const [id] of open)
    if (id !== "background") {
      const ended = await second.api.until(id, "turn.ended", ({ data }) => data.message_ids.includes("queued-2"))
      expect(ended.data.stop_reason).toBe("end_turn")
      const cut = await second.api.until(id, "turn.ended")
      expect(cut.data).toMatchObject({ stop_reason: "error", error: { code: "daemon_restarted" } })
    }
  // The turn was over in this one: which of its messages the kill met is open, and none of them waits for ever.
  await expect.poll(() => second.api.session("background")).toMatchObject({ status: "idle", queue: [] })
  expect(await second.stop()).toBe(0)
  withDatabase(dataDir, (db) => {
    for (const session of storedSessions(db)) {
      expect(faultsOf(storedLog(db, session.uid)), session.id).toEqual([])
      const fold = expectRowsEqualFold(db, session)
      for (const request of fold.requests.values()) expect(request.status).toBe("cancelled")
    }
  })
})

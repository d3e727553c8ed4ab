import type { Database } from "bun:sqlite"
import { expect, test } from "vitest"
import { startDaemon } from "../harness/daemon.ts"
import { keptDirectory, withDatabase } from "./database.ts"

const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
const tables = ["log", "raw", "messages", "turns", "items", "requests", "rules", "blob_refs", "sessions"]

const counts = (db: Database, uid: number): Record<string, number> =>
  Object.fromEntries(
    tables.map((table) => [
      table,
      (db.query(`SELECT count(*) AS n FROM ${table} WHERE uid = ?`).get(uid) as { n: number }).n,
    ]),
  )

const nothing = Object.fromEntries(tables.map((table) => [table, 0]))

test("a deleted session leaves no row behind, also when the daemon is killed right after the answer", async () => {
  const dataDir = keptDirectory()
  await using daemon = await startDaemon({ dataDir })
  const { api } = daemon
  for (const id of ["gone", "stays"]) {
    await api.create(id, { env: { SECRET: "x" } })
    await api.turn(id, "/run echo a\n/subagent", { attachments: [{ data: PNG, mime: "image/png", filename: "a.png" }] })
    await api.send(id, "/permission echo b")
    const { data } = await api.until(id, "permission.requested")
    await api.ok("POST", `/v1/sessions/${id}/permissions/${data.permission_id}/reply`, { reply: "always" })
    await api.until(id, "permission.resolved")
  }
  // A reader that is still there keeps the rows until it has read the end; the kill comes before that.
  const reader = api.stream("gone")
  await reader.next()
  await api.ok("DELETE", "/v1/sessions/gone")
  daemon.kill("SIGKILL")
  await daemon.exited
  await reader.return(undefined)
  withDatabase(dataDir, (db) => {
    const full = counts(db, 2)
    for (const table of tables) expect(full[table], table).toBeGreaterThan(0)
    expect(db.query("SELECT id, secrets, deleted FROM sessions WHERE uid = 1").get()).toEqual({
      id: null,
      secrets: null,
      deleted: 1,
    })
  })

  await using next = await startDaemon({ dataDir })
  const { sessions } = await next.api.ok<{ sessions: { id: string }[] }>("GET", "/v1/sessions")
  expect(sessions.map((session) => session.id)).toEqual(["stays"])
  expect((await next.api.call("GET", "/v1/sessions/gone")).status).toBe(404)
  await next.api.create("gone")
  expect((await next.api.events("gone"))[0]).toMatchObject({ sequence: 1, event_id: "evt_3_1" })
  expect(await next.stop()).toBe(0)
  withDatabase(dataDir, (db) => {
    expect(counts(db, 1)).toEqual(nothing)
    // The picture belongs to the other session too.
    expect(db.query("SELECT count(*) AS n FROM blobs").get()).toEqual({ n: 1 })
  })
})

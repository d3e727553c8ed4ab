import type { Database } from "bun:sqlite"
import { existsSync, statSync, writeFileSync } from "node:fs"
import { setImmediate } from "node:timers/promises"
import { limits } from "@sandbox-agent/schema/limits"
import { expect, test } from "vitest"
import { startDaemon } from "../harness/daemon.ts"
import { Stallable } from "../streaming/stallable.ts"
import { databaseFile, keptDirectory, storedBytes, withDatabase } from "./database.ts"

const MiB = 1024 * 1024
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
  for (const id of ["gone", "stays", "read"]) {
    await api.create(id, { env: { SECRET: "x" }, permissionMode: "bypass" })
    const attachments = [{ data: PNG, mime: "image/png", filename: "a.png" }]
    await api.turn(id, `/run echo a\n/subagent${id === "read" ? "\n/stream 60000 100" : ""}`, { attachments })
    await api.ok("PATCH", `/v1/sessions/${id}`, { permissionMode: "default" })
    const { lastSequence } = await api.session(id)
    await api.send(id, "/permission echo b")
    const { data } = await api.until(id, "permission.requested", () => true, lastSequence)
    await api.ok("POST", `/v1/sessions/${id}/permissions/${data.permission_id}/reply`, { reply: "always" })
    await api.until(id, "permission.resolved", () => true, lastSequence)
  }
  // A reader that has not read the end keeps the rows for a while; the kill comes before that. At a byte in a second it
  // is nowhere near the end, however long it takes to see that it has begun.
  const reader = new Stallable(daemon, "read", "events/sse", ["--limit-rate", "1"])
  await expect.poll(() => reader.got().ids.length).toBeGreaterThan(0)
  await api.ok("DELETE", "/v1/sessions/gone")
  await api.ok("DELETE", "/v1/sessions/read")
  daemon.kill("SIGKILL")
  await daemon.exited
  withDatabase(dataDir, (db) => {
    // Lines that no event followed are rare, and stand alone.
    const due = tables.filter((table) => table !== "raw")
    for (const uid of [2, 3]) for (const table of due) expect(counts(db, uid)[table], table).toBeGreaterThan(0)
    db.run("INSERT INTO raw (uid, n, count, size, lines) VALUES (3, 1, 1, 0, '')")
    const left = db.query("SELECT uid, id, alias, secrets FROM sessions WHERE deleted = 1 AND uid = 3").all()
    expect(left).toEqual([{ uid: 3, id: null, alias: null, secrets: null }])
  })

  await using next = await startDaemon({ dataDir })
  const { sessions } = await next.api.ok<{ sessions: { id: string }[] }>("GET", "/v1/sessions")
  expect(sessions.map((session) => session.id)).toEqual(["stays"])
  for (const id of ["gone", "read"]) expect((await next.api.call("GET", `/v1/sessions/${id}`)).status).toBe(404)
  await next.api.create("gone")
  expect((await next.api.events("gone"))[0]).toMatchObject({ sequence: 1, type: "session.started" })
  expect(await next.stop()).toBe(0)
  withDatabase(dataDir, (db) => {
    for (const uid of [1, 3]) expect(counts(db, uid)).toEqual(nothing)
    expect(counts(db, 2).log).toBeGreaterThan(0)
    // The picture belongs to the session that stays, too.
    expect(db.query("SELECT count(*) AS n FROM blobs").get()).toEqual({ n: 1 })
  })
})

test("no word of a deleted session stands in a file: neither what was said, nor its title, nor its metadata", async () => {
  const dataDir = keptDirectory()
  await using daemon = await startDaemon({ dataDir })
  const { api } = daemon
  const words = ["first-title", "second-title", "first-metadata", "second-metadata", "said-by-a-person"]
  await api.create("gone", { title: words[0], metadata: { label: words[2] } })
  await api.ok("PATCH", "/v1/sessions/gone", { title: words[1], metadata: { label: words[3] } })
  await api.turn("gone", `/echo ${words[4]}`)
  const found = () => words.filter((word) => storedBytes(dataDir).includes(word))
  expect(found()).toEqual(words)
  await api.ok("DELETE", "/v1/sessions/gone")
  await expect.poll(found).toEqual([])
})

test("a deleted session gives its room back to the disk, and is gone from copies made before a migration", async () => {
  const dataDir = keptDirectory()
  await using daemon = await startDaemon({ dataDir })
  const { api } = daemon
  for (const id of ["large", "small"]) await api.create(id)
  await api.turn("large", "/stream 60000 100")
  await api.turn("small", "stays")
  const size = () => statSync(databaseFile(dataDir)).size
  const backup = `${databaseFile(dataDir)}.v2.backup`
  writeFileSync(backup, "what the store had")
  await api.ok("DELETE", "/v1/sessions/large")
  await expect.poll(() => existsSync(backup)).toBe(false)
  // What stays free is used by what comes next.
  await expect.poll(size).toBeLessThan((limits.storeFreePages + 512) * 4_096)
  await api.turn("small", "goes on")
  expect((await api.events("small")).length).toBe((await api.session("small")).lastSequence)
})

test("while a large session is being removed the others are served", async () => {
  const dataDir = keptDirectory()
  await using daemon = await startDaemon({ dataDir })
  const { api } = daemon
  for (const id of ["large", "small"]) await api.create(id)
  await api.turn("large", "/stream 60000 100")
  const wal = () => statSync(`${databaseFile(dataDir)}-wal`).size
  /** Kept of it when it is used anew, which it is from 1,000 pages on. */
  const kept = 4 * MiB
  do await api.turn("small", "before")
  while (wal() > kept)
  let [most, isOver] = [0, false]
  const watched = (async () => {
    for (; !isOver; await setImmediate()) most = Math.max(most, wal())
  })()
  await api.ok("DELETE", "/v1/sessions/large")
  // At the end it is emptied. The database is not asked: while somebody reads, nothing of its log is used anew.
  do await api.turn("small", "meanwhile")
  while (wal() > MiB)
  isOver = true
  await watched
  // The largest step removes the text of 6 MB; one transaction for all would take 40.
  expect(most).toBeLessThan(3 * kept)
  expect(await daemon.stop()).toBe(0)
  withDatabase(dataDir, (db) => expect(counts(db, 1)).toEqual(nothing))
})

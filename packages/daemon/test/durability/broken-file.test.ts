import type { Database } from "bun:sqlite"
import { cpSync, existsSync, mkdtempSync, readdirSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { rounds } from "@sandbox-agent/test-agents/extent"
import { afterAll, beforeAll, expect, test } from "vitest"
import { offlineCheck } from "../../src/store/offline-check.ts"
import { startDaemon, type TestDaemon } from "../harness/daemon.ts"
import { damagePage, leavesOf } from "./damage.ts"
import { databaseFile, expectRowsEqualFold, keptDirectory, storedSessions, withDatabase } from "./database.ts"

/** Sessions enough that their rows stand on several pages; two of them with long logs. */
async function filled(dataDir: string): Promise<void> {
  await using daemon = await startDaemon({ dataDir })
  const { api } = daemon
  for (const id of ["first", "hurt", "whole", "s1", "s2", "s3", "s4", "s5", "s6", "last"])
    await api.create(id, { permissionMode: "bypass", metadata: { note: "x".repeat(600) } })
  for (const id of ["hurt", "whole"]) {
    await api.turn(id, "/stream 2000")
    for (let turn = 0; turn < 8; turn++) await api.turn(id, `/run echo ${turn}\n/subagent`)
  }
}

let template = ""
beforeAll(async () => {
  template = mkdtempSync(join(tmpdir(), "sandbox-agent-broken-"))
  await filled(template)
}, 120_000)
afterAll(() => rmSync(template, { recursive: true, force: true }))

function copied(): string {
  const dataDir = keptDirectory()
  cpSync(template, dataDir, { recursive: true })
  return dataDir
}

const middle = <T>(list: readonly T[]): T => list[Math.floor(list.length / 2)] as T
const kept = (dataDir: string) => readdirSync(dataDir).filter((name) => name.includes(".damaged-"))

/** Whatever page it was: nothing of the others is lost or refused, new sessions come, old ones go. */
async function othersLive({ api }: TestDaemon, whole: string): Promise<void> {
  const before = await api.events(whole)
  expect(before.length).toBe((await api.session(whole)).lastSequence)
  await api.turn(whole, "goes on")
  await api.create("new")
  await api.turn("new", "and a new one")
  await api.ok("DELETE", "/v1/sessions/s5")
  const { sessions } = await api.ok<{ sessions: { id: string }[] }>("GET", "/v1/sessions")
  expect(sessions.map(({ id }) => id)).toEqual(expect.arrayContaining(["new", whole, "last"]))
}

test("a damaged page of the sessions' rows: the daemon starts, the others live, and the sessions on it come back from their logs", async () => {
  const dataDir = copied()
  const leaves = leavesOf(dataDir, "sessions")
  expect(leaves.length).toBeGreaterThan(2)
  const before = withDatabase(dataDir, (db) => storedSessions(db).map(({ id }) => id))
  damagePage(dataDir, leaves[1] as number)
  await using daemon = await startDaemon({ dataDir })
  expect(daemon.stderr()).toContain("the store was damaged and has been repaired")
  const { sessions } = await daemon.api.ok<{ sessions: { id: string; status: string; error?: unknown }[] }>(
    "GET",
    "/v1/sessions",
  )
  expect(new Set(sessions.map(({ id }) => id))).toEqual(new Set(before))
  const rebuilt = sessions.filter(({ error }) => error !== undefined)
  expect(rebuilt.length).toBeGreaterThan(0)
  expect(rebuilt.length).toBeLessThan(before.length)
  for (const { id, status } of rebuilt) {
    expect(status).toBe("ended")
    expect((await daemon.api.events(id)).length).toBe((await daemon.api.session(id)).lastSequence)
    await daemon.api.ok("DELETE", `/v1/sessions/${id}`)
  }
  expect(kept(dataDir).length).toBe(1)
  const sound = sessions.find(({ error, status }) => error === undefined && status === "idle")?.id ?? ""
  await daemon.api.turn(sound, "goes on")
})

test.each([
  ["an index of events", "log_by_seq"],
  ["an index of items", "items_by_seq"],
  ["the newest events", "log"],
  ["the names of sessions", "sqlite_autoindex_sessions_1"],
])("damage in %s that a write meets is repaired on the spot, and everybody goes on", async (_, tree) => {
  const dataDir = copied()
  const leaves = leavesOf(dataDir, tree)
  damagePage(dataDir, leaves.at(-1) as number)
  await using daemon = await startDaemon({ dataDir })
  const { api } = daemon
  await othersLive(daemon, tree === "log" ? "first" : "whole")
  for (const id of ["hurt", "whole", "s1", "last"]) {
    const events = await api.turn(id, "goes on")
    expect(events.at(-1)).toMatchObject({ type: "turn.ended", data: { stop_reason: "end_turn" } })
  }
  expect(daemon.stderr()).toContain("the store was damaged and has been repaired")
  expect(await daemon.stop()).toBe(0)
  expect(kept(dataDir).length).toBe(1)
  expect(statSync(databaseFile(dataDir)).mode & 0o777).toBe(0o600)
  withDatabase(dataDir, (db) => expect(db.query("PRAGMA integrity_check").get()).toEqual({ integrity_check: "ok" }))
})

test("lost items are made again of the log", async () => {
  const dataDir = copied()
  const leaves = leavesOf(dataDir, "items")
  const items = (daemon: TestDaemon, id: string) => daemon.api.items(id)
  let before: unknown[] = []
  {
    await using daemon = await startDaemon({ dataDir })
    before = [await items(daemon, "hurt"), await items(daemon, "whole")]
  }
  damagePage(dataDir, middle(leaves))
  await using daemon = await startDaemon({ dataDir })
  // Nobody can say which rows stood there; a write that meets the damage sets off the repair.
  for (const id of ["hurt", "whole"]) await daemon.api.call("GET", `/v1/sessions/${id}/items`)
  await expect.poll(() => daemon.stderr(), { timeout: 30_000 }).toContain("has been repaired")
  expect([await items(daemon, "hurt"), await items(daemon, "whole")]).toEqual(before)
  expect(await daemon.stop()).toBe(0)
  withDatabase(dataDir, (db) => {
    for (const session of storedSessions(db)) expectRowsEqualFold(db, session)
  })
})

test("what a repair could not save is named: in the log of the daemon, in the transcript, and by `store check`", async () => {
  const dataDir = copied()
  const count = (db: Database) =>
    (db.query("SELECT coalesce(sum(count), 0) AS n FROM log WHERE uid > 0").get() as { n: number }).n
  const before = withDatabase(dataDir, count)
  truncateSync(databaseFile(dataDir), Math.floor(statSync(databaseFile(dataDir)).size / 2 / 4096) * 4096)
  const holes: { id: string; last: number; lost: number }[] = []
  {
    await using daemon = await startDaemon({ dataDir })
    const { sessions } = await daemon.api.ok<{ sessions: { id: string }[] }>("GET", "/v1/sessions")
    for (const { id } of sessions) {
      const { items } = await daemon.api.items(id)
      const told = items.flatMap(({ content }) => content).filter((part) => part.type === "status")
      const [note] = told.filter(({ label }) => label === "store.events_lost")
      const ranges = [...(note?.detail ?? "").matchAll(/(\d+) to (\d+)|(\d+)(?=,| are)/g)]
      const lost = ranges.reduce((sum, [, a, b]) => sum + (b === undefined ? 1 : Number(b) - Number(a) + 1), 0)
      if (lost > 0) holes.push({ id, lost, last: (await daemon.api.session(id)).lastSequence })
    }
    const sum = holes.reduce((all, { lost }) => all + lost, 0)
    expect(holes.length).toBeGreaterThan(1)
    expect(daemon.stderr()).toContain(`lost were ${sum} events (`)
    for (const { id, lost } of holes) expect(daemon.stderr()).toContain(`${lost} of session ${id}`)
    expect(await daemon.stop()).toBe(0)
    // Each note is an item of two events, which were not there before.
    expect(withDatabase(dataDir, count) + sum).toBe(before + 2 * holes.length)
  }
  const { after, sound } = offlineCheck(dataDir, false)
  expect(sound).toBe(false)
  expect(after.structure).toEqual([])
  for (const { id } of holes)
    expect(after.findings).toContainEqual({
      session: id,
      what: expect.stringMatching(/^events \d+ to \d+ are missing$/),
    })
  // Told once.
  await using daemon = await startDaemon({ dataDir })
  for (const { id, last } of holes) expect((await daemon.api.session(id)).lastSequence).toBe(last)
})

test("an item whose text is damaged is made again of the log", async () => {
  const dataDir = copied()
  let before: unknown
  {
    await using daemon = await startDaemon({ dataDir })
    before = await daemon.api.items("hurt")
  }
  withDatabase(dataDir, (db) =>
    db.run(`UPDATE items SET doc = substr(doc, 1, 30) WHERE uid = (SELECT uid FROM sessions WHERE id = 'hurt')
      AND started_seq % 3 = 0`),
  )
  await using daemon = await startDaemon({ dataDir })
  expect(await daemon.api.items("hurt")).toEqual(before)
  expect(daemon.stderr()).toContain("damaged rows of a session were made again of its log")
})

test("deleting a session whose events stand on a damaged page removes it, and costs the others nothing", async () => {
  const dataDir = copied()
  const uid = withDatabase(dataDir, (db) => storedSessions(db).find(({ id }) => id === "hurt")?.uid)
  const leaves = leavesOf(dataDir, "log")
  const page = withDatabase(dataDir, (db) => {
    const rows = db.query("SELECT uid FROM log ORDER BY pos").all() as { uid: number }[]
    const place = rows.findLastIndex((row) => row.uid === uid)
    return leaves[Math.floor((place / rows.length) * leaves.length)] as number
  })
  damagePage(dataDir, page)
  await using daemon = await startDaemon({ dataDir })
  await daemon.api.ok("DELETE", "/v1/sessions/hurt")
  await expect
    .poll(() => withDatabase(dataDir, (db) => db.query("SELECT count(*) AS n FROM sessions WHERE deleted = 1").get()), {
      timeout: 30_000,
    })
    .toEqual({ n: 0 })
  for (const id of ["whole", "s1", "last"]) await daemon.api.turn(id, "goes on")
})

test.each(["raw", "rules", "processes", "messages", "sessions", "log", "meta", "acp_conn"])(
  "the first page of %s is damaged: the daemon starts and everybody goes on",
  async (table) => {
    const dataDir = copied()
    const { root } = withDatabase(dataDir, (db) =>
      db.query("SELECT rootpage AS root FROM sqlite_schema WHERE name = ?").get(table),
    ) as { root: number }
    damagePage(dataDir, root)
    await using daemon = await startDaemon({ dataDir })
    const { api } = daemon
    const { sessions } = await api.ok<{ sessions: { id: string; status: string }[] }>("GET", "/v1/sessions")
    expect(sessions.length).toBeGreaterThan(8)
    for (const { id, status } of sessions) if (status === "idle") await api.turn(id, "goes on")
    await api.create("new")
    await api.turn("new", "and a new one")
    await api.ok("DELETE", "/v1/sessions/hurt")
    expect(await daemon.stop()).toBe(0)
  },
  60_000,
)

test("whichever page is damaged, the daemon starts and its sessions go on", async () => {
  const pages = statSync(databaseFile(template)).size / 4096
  const tries = rounds(4, 60)
  // Without the list of tables nothing can be read, and the file is left as it is.
  const schema = new Set([1, ...leavesOf(template, "sqlite_schema")])
  for (let i = 0; i < tries; i++) {
    const page = 2 + Math.floor(((pages - 2) * i) / tries)
    if (schema.has(page)) continue
    const dataDir = copied()
    damagePage(dataDir, page)
    await using daemon = await startDaemon({ dataDir })
    const { api } = daemon
    await api.create("new")
    await api.turn("new", "hello")
    const { sessions } = await api.ok<{ sessions: { id: string; status: string }[] }>("GET", "/v1/sessions")
    expect(sessions.length, `page ${page}`).toBeGreaterThan(8)
    for (const { id, status } of sessions) if (status === "idle") await api.turn(id, "goes on")
    for (const { id } of sessions) await api.ok("DELETE", `/v1/sessions/${id}`)
    expect(await daemon.stop(), `page ${page}`).toBe(0)
    rmSync(dataDir, { recursive: true, force: true })
  }
}, 1_200_000)

test("a damaged lock is made again, and is nobody else's while a daemon has it", async () => {
  const dataDir = copied()
  const lock = join(dataDir, "lock.db")
  writeFileSync(lock, "garbage ".repeat(1_000))
  await using daemon = await startDaemon({ dataDir })
  writeFileSync(lock, "garbage ".repeat(1_000))
  await expect(startDaemon({ dataDir })).rejects.toThrow("another daemon is using the data directory")
  await daemon.api.turn("whole", "goes on")
})

test("a repair that a kill cut off leaves nothing behind", async () => {
  const dataDir = copied()
  writeFileSync(`${databaseFile(dataDir)}.repair`, "half a copy")
  await using daemon = await startDaemon({ dataDir })
  await daemon.api.turn("whole", "goes on")
  expect(existsSync(`${databaseFile(dataDir)}.repair`)).toBe(false)
})

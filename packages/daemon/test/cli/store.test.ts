import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { damageFrames, damagePage, leavesOf } from "../durability/damage.ts"
import { databaseFile, keptDirectory, withDatabase } from "../durability/database.ts"
import { startDaemon } from "../harness/daemon.ts"
import { disk, mountable, remountReadOnly } from "../harness/disk.ts"
import { cli } from "./spawn.ts"

async function filled(): Promise<string> {
  const dataDir = keptDirectory()
  await using daemon = await startDaemon({ dataDir })
  for (const id of ["hurt", "whole"]) {
    await daemon.api.create(id)
    await daemon.api.turn(id, "/stream 3000")
  }
  return dataDir
}

const check = (dataDir: string, ...flags: string[]) => cli(["store", "check", "--data-dir", dataDir, ...flags])

test("a sound store is said to be sound, also while a daemon uses it, and stays as it is", async () => {
  const dataDir = await filled()
  const before = readFileSync(databaseFile(dataDir))
  const { code, stdout } = await check(dataDir)
  expect([code, stdout]).toEqual([0, expect.stringMatching(/: sound \(2 sessions, \d+ events\)\n$/)])
  expect(await check(dataDir, "--repair")).toMatchObject({ code: 0, stdout })
  expect(readFileSync(databaseFile(dataDir)).equals(before)).toBe(true)
  await using daemon = await startDaemon({ dataDir })
  await daemon.api.turn("whole", "hello")
  expect(await check(dataDir)).toMatchObject({ code: 0 })
  const refused = await check(dataDir, "--repair")
  expect([refused.code, refused.stderr]).toEqual([9, expect.stringContaining("another daemon is using")])
})

test("damaged events, rows and texts are told with their session, and exit code 1", async () => {
  const dataDir = await filled()
  const hurt = damageFrames(dataDir, "hurt")
  withDatabase(dataDir, (db) => {
    db.run("UPDATE items SET doc = substr(doc, 1, 20) WHERE uid = 2")
    db.run("UPDATE sessions SET record = 'x' WHERE id = 'whole'")
  })
  const { code, stdout } = await check(dataDir)
  expect(code).toBe(1)
  expect(stdout).toContain(`hurt: events ${hurt.first} to ${hurt.last} are damaged\n`)
  expect(stdout).toContain("whole: its row is damaged\n")
  expect(stdout).toMatch(/whole: item \S+ is damaged; it is made again of the log\n/)
  const json = JSON.parse((await check(dataDir, "--json")).stdout)
  expect(json).toMatchObject({ sound: false, sessions: 2, structure: [] })
  expect(json.findings).toContainEqual({ session: "whole", what: "its row is damaged" })
})

test("--repair saves what can be saved into a new file and keeps the old one", async () => {
  const dataDir = await filled()
  const leaves = leavesOf(dataDir, "log")
  damagePage(dataDir, leaves[Math.floor(leaves.length / 3)] as number)
  const before = readFileSync(databaseFile(dataDir))
  const found = await check(dataDir)
  expect([found.code, found.stdout]).toEqual([1, expect.stringMatching(/^file: /)])
  expect(found.stdout).toContain("store check --repair")
  const repaired = await check(dataDir, "--repair")
  expect(repaired.stdout).toMatch(/has been repaired: lost were \d+ events \(\d+ of session (hurt|whole)/)
  const [kept = "", ...more] = readdirSync(dataDir).filter((name) => name.includes(".damaged-"))
  expect([more, readFileSync(join(dataDir, kept)).equals(before)]).toEqual([[], true])
  withDatabase(dataDir, (db) => expect(db.query("PRAGMA integrity_check").get()).toEqual({ integrity_check: "ok" }))
  await using daemon = await startDaemon({ dataDir })
  for (const id of ["hurt", "whole"]) await daemon.api.turn(id, "hello")
})

test("a file of which nothing can be read is left as it is", async () => {
  const dataDir = await filled()
  writeFileSync(databaseFile(dataDir), "no database at all ".repeat(1_000))
  const before = readFileSync(databaseFile(dataDir))
  const { code: damaged, stdout: said } = await check(dataDir)
  expect([damaged, said]).toEqual([1, expect.stringMatching(/^file: .*not a database\nnothing of it can be saved/)])
  expect(said).not.toContain("--repair")
  const { code, stderr, stdout } = await check(dataDir, "--repair")
  expect([code, stdout + stderr]).toEqual([1, expect.stringContaining("left as it is")])
  expect(readFileSync(databaseFile(dataDir)).equals(before)).toBe(true)
  expect(readdirSync(dataDir).filter((name) => /repair|damaged/.test(name))).toEqual([])
})

test("a database of another program is named as such by a check and by a start, and one without a byte is empty", async () => {
  const dataDir = keptDirectory()
  writeFileSync(databaseFile(dataDir), "")
  expect(await check(dataDir)).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("sound (0 sessions, 0 events)"),
  })
  withDatabase(dataDir, (db) => db.run("CREATE TABLE bookmarks (url TEXT)"))
  const ofAnother = expect.stringContaining("a database of another program")
  expect(await check(dataDir)).toMatchObject({ code: 4, stderr: ofAnother })
  expect(await check(dataDir, "--repair")).toMatchObject({ code: 4, stderr: ofAnother })
  const start = await cli(["server", "--port", "0", "--data-dir", dataDir])
  expect([start.code, start.stderr]).toEqual([expect.any(Number), ofAnother])
  expect(start.code).not.toBe(0)
  withDatabase(dataDir, (db) =>
    expect(db.query("SELECT name FROM sqlite_schema").all()).toEqual([{ name: "bookmarks" }]),
  )
})

test("a data directory without a store, and words too many, are refused", async () => {
  expect(await check(keptDirectory())).toMatchObject({ code: 4, stderr: expect.stringContaining("there is no store") })
  expect(await cli(["store", "check", "here"])).toMatchObject({ code: 2 })
})

test.skipIf(!mountable)("a repair where nothing can be written is refused in words", async () => {
  const dataDir = disk("1m")
  writeFileSync(databaseFile(dataDir), "")
  remountReadOnly(dataDir)
  expect(await check(dataDir, "--repair")).toMatchObject({ code: 9, stderr: expect.stringContaining("cannot be used") })
})

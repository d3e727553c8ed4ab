import { existsSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { startDaemon } from "../harness/daemon.ts"
import { keptDirectory, storedBytes, withDatabase } from "./database.ts"

const attachment = {
  data: Buffer.from("kept for its session").toString("base64"),
  mime: "text/plain",
  filename: "a.txt",
}
const folders = (dataDir: string): string[] => readdirSync(join(dataDir, "attachments")).sort()

const eventIds = async (dataDir: string, id: string): Promise<string[]> => {
  await using daemon = await startDaemon({ dataDir })
  await daemon.api.create(id)
  const ids = (await daemon.api.events(id)).map((event) => event.event_id)
  await daemon.api.ok("DELETE", `/v1/sessions/${id}`)
  return ids
}

test("the uid of a deleted session is never given out again, however often the daemon starts", async () => {
  const dataDir = keptDirectory()
  const seen = new Set<string>()
  for (let start = 0; start < 4; start++)
    for (const id of await eventIds(dataDir, "same")) {
      expect(seen.has(id), `${id} at start ${start}`).toBe(false)
      seen.add(id)
    }
})

test("a daemon in memory leaves the attachments of another one on the same data directory alone, and none of its own", async () => {
  await using kept = await startDaemon()
  await kept.api.create("one")
  await kept.api.turn("one", "look", { attachments: [attachment] })
  const before = folders(kept.dataDir)
  expect(before.length).toBe(1)
  await using memory = await startDaemon({ dataDir: kept.dataDir, flags: ["--store", "memory"] })
  await memory.api.create("one")
  await memory.api.turn("one", "look", { attachments: [attachment] })
  expect(folders(kept.dataDir).length).toBe(2)
  await memory.api.ok("DELETE", "/v1/sessions/one")
  expect(await memory.stop()).toBe(0)
  expect(folders(kept.dataDir)).toEqual(before)
  const { items } = await kept.api.items("one")
  const path = JSON.stringify(items).match(/[^"]*a\.txt/)?.[0] ?? ""
  expect(existsSync(path), path).toBe(true)
})

test("attachments of a session that was deleted just before a kill are removed at the next start", async () => {
  const dataDir = keptDirectory()
  await using daemon = await startDaemon({ dataDir })
  for (const id of ["gone", "stays"]) {
    await daemon.api.create(id)
    await daemon.api.turn(id, "look", { attachments: [attachment] })
  }
  daemon.kill()
  await daemon.exited
  // As a kill between the rows and the folder leaves it.
  withDatabase(dataDir, (db) => db.run("DELETE FROM sessions WHERE id = 'gone'"))
  expect(folders(dataDir)).toEqual(["1", "2"])
  await using next = await startDaemon({ dataDir })
  await expect.poll(() => folders(dataDir)).toEqual(["2"])
  await next.api.turn("stays", "goes on")
})

test("secrets and texts of a deleted session are in no file of the store", async () => {
  await using daemon = await startDaemon()
  const { api } = daemon
  await api.create("stays")
  await api.create("gone", { env: { KEY: "secret-of-the-environment" } })
  await api.turn("gone", `said-in-confidence ${"x".repeat(20_000)} said-at-the-end`)
  const read = () => storedBytes(daemon.dataDir)
  const words = ["secret-of-the-environment", "said-in-confidence", "said-at-the-end"]
  expect(words.filter((word) => read().includes(word))).toEqual(words)
  await api.ok("DELETE", "/v1/sessions/gone")
  await expect.poll(() => words.filter((word) => read().includes(word))).toEqual([])
})

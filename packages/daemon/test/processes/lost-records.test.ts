import { mkdirSync, renameSync, rmdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, expect, test } from "vitest"
import { scratch, startDaemon, type TestDaemon } from "../harness/daemon.ts"
import { type Entry, ProcessClient, textOf } from "./client.ts"

let daemon: TestDaemon
let client: ProcessClient
beforeAll(async () => {
  daemon = await startDaemon()
  client = new ProcessClient(daemon)
})
afterAll(() => daemon.stop())

test("a stream tells that the last of a log was lost, then the exit, and ends; for who comes later, too", async () => {
  // A part of the log has room for an eighth of this.
  const config = await daemon.api.ok<object>("GET", "/v1/processes/config")
  await daemon.api.ok("POST", "/v1/processes/config", { ...config, maxLogBytesPerProcess: 64 * 1024 })
  const { id } = await client.start({ shell: "echo kept; read word; head -c 100000 /dev/zero; exit 3" })
  const told: string[] = []
  for await (const { event, data } of client.follow(id)) {
    told.push(event === "log" ? event : `${event} ${data}`)
    if (told.length > 1) continue
    // No further part can be made, as on a full disk.
    const folder = join(daemon.dataDir, "processes", id)
    renameSync(folder, `${folder}.away`)
    await client.input(id, "go\n")
  }
  const { lastSequence = 0 } = await client.get(id)
  const end = [`gap {"firstSequence":${lastSequence + 1}}`, 'exit {"exitCode":3,"reason":"exited"}']
  expect(told[0]).toBe("log")
  expect(told.slice(-2)).toEqual(end)
  const again: string[] = []
  for await (const { event, data } of client.follow(id, `?since=${lastSequence - 1}`)) again.push(`${event} ${data}`)
  expect(again).toEqual(end)
})

test("a log of an earlier daemon that could not be read once is read when it can be", async () => {
  const dataDir = scratch()
  await using before = await startDaemon({ dataDir })
  const { id } = await new ProcessClient(before).start({ shell: "echo kept" })
  await before.stop()
  await using after = await startDaemon({ dataDir })
  const log = join(dataDir, "processes", id, "log-000000000000001")
  renameSync(log, `${log}.away`)
  mkdirSync(log)
  const logs = async () => (await after.api.call("GET", `/v1/processes/${id}/logs`)).status
  expect(await logs()).toBe(500)
  rmdirSync(log)
  renameSync(`${log}.away`, log)
  expect(await logs()).toBe(200)
})

test("processes that could not be looked for once are there when they can be", async () => {
  await using fresh = await startDaemon()
  const folder = join(fresh.dataDir, "processes")
  writeFileSync(folder, "in the way")
  const list = async () => (await fresh.api.call("GET", "/v1/processes")).status
  expect(await list()).toBe(500)
  rmSync(folder)
  expect(await list()).toBe(200)
})

test("who comes back to the last entries of a log gets all that came since", async () => {
  const { id } = await client.start({ shell: "while read word; do echo $word; done" })
  const say = async (word: string) => {
    await client.input(id, `${word}\n`)
    await client.said(id, new RegExp(`${word}\n`))
  }
  for (const word of ["one", "two"]) await say(word)
  const first = await client.follow(id, "?tail=1").next()
  for (const word of ["three", "four", "five"]) await say(word)
  const told: string[] = []
  for await (const { data } of client.follow(id, "?tail=1", { "last-event-id": first.value.id })) {
    told.push(textOf(JSON.parse(data) as Entry))
    if (told.at(-1) === "five\n") break
  }
  expect(told).toEqual(["three\n", "four\n", "five\n"])
})

import { renameSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, expect, test } from "vitest"
import { startDaemon, type TestDaemon } from "../harness/daemon.ts"
import { ProcessClient } from "./client.ts"

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

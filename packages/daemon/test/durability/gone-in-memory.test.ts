import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { workspace } from "../files/files-api.ts"
import { begun, drafts, halfSent, sendTo } from "../files/half-sent.ts"
import { scratch, startDaemon } from "../harness/daemon.ts"

const flags = ["--store", "memory"]
const below = (folder: string): string[] => (existsSync(folder) ? readdirSync(folder) : [])
const [first, rest] = [Buffer.alloc(50_000, "a"), Buffer.alloc(50_000, "b")]

for (const store of ["sqlite", "memory"])
  test(`a daemon in memory that starts beside one with its store in ${store} leaves the files alone that come to that`, async () => {
    const folder = workspace()
    await using daemon = await startDaemon({ flags: ["--store", store] })
    const { body, end } = halfSent(first, rest)
    const sent = sendTo(daemon, "PUT", "file", join(folder, "new"), body)
    await begun(folder)
    await using other = await startDaemon({ dataDir: daemon.dataDir, flags })
    end()
    expect((await sent)[0]).toBe(200)
    expect(readFileSync(join(folder, "new")).equals(Buffer.concat([first, rest]))).toBe(true)
    expect(await other.stop()).toBe(0)
  })

test("what a daemon in memory left that was killed is removed by the next one", async () => {
  const [folder, dataDir] = [workspace(), scratch()]
  await using daemon = await startDaemon({ dataDir, flags })
  await daemon.api.ok("POST", "/v1/processes", { command: "true" })
  const sent = sendTo(daemon, "PUT", "file", join(folder, "new"), halfSent(first, rest).body)
  await begun(folder)
  daemon.kill("SIGKILL")
  await Promise.all([daemon.exited, sent.catch(() => undefined)])
  expect([below(join(dataDir, "processes")).length, drafts(folder).length]).toEqual([1, 1])
  await using next = await startDaemon({ dataDir })
  expect([drafts(folder), below(join(dataDir, "drafts"))]).toEqual([[], []])
  await expect.poll(() => below(join(dataDir, "processes"))).toEqual([])
  expect(await next.stop()).toBe(0)
})

test("a daemon in memory has nothing of one that had its number, as it is the same in every container", async () => {
  const dataDir = scratch()
  const kept = join(dataDir, "kept")
  mkdirSync(join(kept, "proc_1"), { recursive: true })
  const record = { id: "proc_1", command: "x", args: [], cwd: "/", tty: false, interactive: false, createdAtMs: 1 }
  writeFileSync(join(kept, "proc_1/process.json"), JSON.stringify({ ...record, exitedAtMs: 2, logBytes: 1_000 }))
  const places = ["processes", "attachments"].map((kind) => `'${dataDir}'/${kind}`)
  const behind = `for kind in ${places.join(" ")}; do mkdir "$kind"; cp -r '${kept}' "$kind/memory-$$"; done; exec`
  await using daemon = await startDaemon({ dataDir, flags, behind })
  expect(await daemon.api.ok("GET", "/v1/processes")).toEqual({ processes: [] })
  expect(below(join(dataDir, "attachments"))).toEqual([])
})

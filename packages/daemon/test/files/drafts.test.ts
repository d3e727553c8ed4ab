import { existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileLimits } from "@sandbox-agent/schema/file-limits"
import { expect, test } from "vitest"
import { scratch, startDaemon } from "../harness/daemon.ts"
import { sseEvents } from "../harness/sse.ts"
import { filesDaemon, queryOf, workspace } from "./files-api.ts"
import { begun, drafts, halfSent, sendTo } from "./half-sent.ts"
import { rawArchive } from "./tar-bytes.ts"

const shared = filesDaemon()
const text = "needle\n".repeat(20_000)

async function get(name: string, query: Record<string, string | boolean | number>): Promise<string> {
  const { url, api } = shared.daemon
  const response = await fetch(`${url}/v1/fs/${name}?${queryOf(query)}`, { headers: api.headers })
  expect(response.status).toBe(200)
  return response.text()
}

for (const [what, method, name, below, bytes] of [
  ["a file", "PUT", "file", "/new", Buffer.from(text)],
  ["an archive", "POST", "upload-batch", "", rawArchive({ name: "new", content: text })],
] as const)
  test(`${what} that is coming is in no listing, search, archive, copy or change before it is whole`, async () => {
    const path = workspace()
    writeFileSync(join(path, "there"), "needle")
    const { url, api } = shared.daemon
    const watched = await fetch(`${url}/v1/fs/watch?${queryOf({ path })}`, { headers: api.headers })
    const events = sseEvents(watched)
    await events.next()
    const { body, end } = halfSent(bytes.subarray(0, 50_000), bytes.subarray(50_000))
    const sent = sendTo(shared.daemon, method, name, path + below, body)
    await begun(path)
    const all = { path, hidden: true, gitignore: false }
    const seen = [
      await get("entries", { ...all, depth: 9 }),
      await get("search", { ...all, pattern: "agent", mode: "names" }),
      await get("search", { ...all, pattern: "needle" }),
      await get("archive", all),
    ]
    const copy = join(workspace(), "copy")
    await shared.fs.ok("POST", "copy", {}, { from: path, to: copy, recursive: true })
    expect(drafts(copy)).toEqual([])
    expect(drafts(path).length).toBeGreaterThan(0)
    for (const one of seen) expect(one).not.toContain("/.sandbox-agent-")
    expect(seen[3]).not.toContain(".sandbox-agent-")
    expect(seen[2]).toContain(join(path, "there"))
    end()
    expect((await sent)[0]).toBe(200)
    writeFileSync(join(path, "last"), "")
    const changes: string[] = []
    for await (const { data } of events) {
      changes.push(data)
      if (data.includes(join(path, "last"))) break
    }
    expect(changes.join("\n")).not.toContain(".sandbox-agent-")
    expect(changes[0]).toContain(`"type":"created","path":"${join(path, "new")}"`)
  })

test("a copy that is refused for its depth leaves nothing behind", async () => {
  const top = workspace()
  mkdirSync(join(top, "deep", "d/".repeat(fileLimits.treeDepth + 1)), { recursive: true })
  const ends = { from: join(top, "deep"), to: join(top, "copy") }
  await shared.fs.refused("invalid_request", "POST", "copy", {}, { ...ends, recursive: true })
  expect(drafts(top)).toEqual([])
})

test("a folder that is replaced is gone in one piece, and its name with it", async () => {
  const top = workspace()
  mkdirSync(join(top, "old/inside"), { recursive: true })
  mkdirSync(join(top, "new"))
  const ends = { from: join(top, "new"), to: join(top, "old") }
  await shared.fs.ok("POST", "move", {}, { ...ends, overwrite: true })
  expect(existsSync(join(top, "old/inside"))).toBe(false)
  expect(drafts(top)).toEqual([])
})

test("a draft whose folder became a file keeps no other draft of a killed daemon", async () => {
  const [dataDir, top] = [scratch(), workspace()]
  const [lost, left] = [`.sandbox-agent-${"0".repeat(16)}`, `.sandbox-agent-${"f".repeat(16)}`]
  writeFileSync(join(top, "file"), "")
  writeFileSync(join(top, left), "half")
  mkdirSync(join(dataDir, "drafts"), { recursive: true })
  symlinkSync(join(top, "file", lost), join(dataDir, "drafts", lost))
  symlinkSync(join(top, left), join(dataDir, "drafts", left))
  await using daemon = await startDaemon({ dataDir })
  expect(drafts(top), daemon.url).toEqual([])
  expect(drafts(join(dataDir, "drafts"))).toEqual([])
})

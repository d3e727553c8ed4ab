import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs"
import { connect } from "node:net"
import { join } from "node:path"
import type { CopiedFiles, FileEntry } from "@sandbox-agent/schema/file"
import { fileLimits } from "@sandbox-agent/schema/file-limits"
import { full } from "@sandbox-agent/test-agents/extent"
import { expect, test } from "vitest"
import { startDaemon, type TestDaemon } from "../harness/daemon.ts"
import { filesDaemon, queryOf, workspace } from "./files-api.ts"
import { overfill } from "./overfill.ts"
import { rawArchive } from "./tar-bytes.ts"

const shared = filesDaemon()
const at = (name: string) => join(shared.folder, name)

overfill(["pathBytes"], "a longer path is refused", async () => {
  await shared.fs.refused("invalid_request", "GET", "stat", { path: `/${"x/".repeat(fileLimits.pathBytes / 2 + 1)}` })
})

overfill(["chunkBytes"], "a larger file is sent in pieces, not whole with its length", async () => {
  const sent = async (size: number) => {
    const bytes = Buffer.from(Array.from({ length: size }, (_, at) => (at * 7919) % 251))
    writeFileSync(at("sent"), bytes)
    const response = await fetch(`${shared.daemon.url}/v1/fs/file?${queryOf({ path: at("sent") })}`, {
      headers: shared.daemon.api.headers,
    })
    expect(bytes.equals(Buffer.from(await response.arrayBuffer()))).toBe(true)
    return response.headers.get("content-length")
  }
  expect(await sent(fileLimits.chunkBytes)).toBe(String(fileLimits.chunkBytes))
  expect(await sent(fileLimits.chunkBytes + 1)).toBeNull()
})

overfill(["ignoreFileBytes"], "a larger ignore file is not read", async () => {
  const root = workspace()
  writeFileSync(join(root, ".gitignore"), `a\n#${"x".repeat(fileLimits.ignoreFileBytes)}`)
  writeFileSync(join(root, "a"), "")
  const listed = await shared.fs.ok<FileEntry[]>("GET", "entries", { path: root, gitignore: true })
  expect(listed.map(({ name }) => name)).toContain("a")
})

overfill(["entriesPage", "entriesDepth"], "a larger page, or a deeper one, is refused", async () => {
  const path = workspace()
  await shared.fs.refused("invalid_request", "GET", "entries", { path, limit: fileLimits.entriesPage + 1 })
  await shared.fs.refused("invalid_request", "GET", "entries", { path, depth: fileLimits.entriesDepth + 1 })
})

test.skipIf(!full)(
  "100,000 files in one folder are a page, the next one is on another",
  async () => {
    const root = workspace()
    Bun.spawnSync(["sh", "-c", `cd ${root} && seq 1 100001 | xargs touch`])
    const first = await shared.fs.call<FileEntry[]>("GET", "entries", { path: root })
    expect(first.body.length).toBe(fileLimits.entriesPage)
    const cursor = first.headers.get("x-next-cursor") ?? ""
    expect((await shared.fs.ok<FileEntry[]>("GET", "entries", { path: root, cursor })).map(({ name }) => name)).toEqual(
      ["99999"],
    )
    await shared.fs.ok("DELETE", "entry", { path: root, recursive: true })
  },
  120_000,
)

overfill(["newFolders"], "a path that needs more new folders is refused, and none is made", async () => {
  const way = (folders: number) => at(`new/${"n/".repeat(folders - 1)}`)
  const many = way(fileLimits.newFolders + 1)
  writeFileSync(at("some"), "")
  const path = many
  await shared.fs.refused("invalid_request", "POST", "mkdir", { path })
  await shared.fs.refused("invalid_request", "PUT", "file", { path: `${many}file` }, "x")
  await shared.fs.refused("invalid_request", "POST", "upload-batch", { path }, rawArchive({ name: "x" }))
  await shared.fs.refused("invalid_request", "POST", "copy", {}, { from: at("some"), to: `${many}file` })
  await shared.fs.refused("invalid_request", "POST", "move", {}, { from: at("some"), to: `${many}file` })
  expect(existsSync(at("new"))).toBe(false)
  await shared.fs.ok("POST", "mkdir", { path: way(fileLimits.newFolders) })
  await shared.fs.ok("PUT", "file", { path: `${many}file` }, "x")
})

overfill(["skippedNamed"], "what is left out is named up to there", async () => {
  mkdirSync(at("many"))
  Bun.spawnSync(["sh", "-c", `cd ${at("many")} && seq 1 ${fileLimits.skippedNamed + 5} | xargs mkfifo`])
  const { skipped } = await shared.fs.ok<CopiedFiles>(
    "POST",
    "copy",
    {},
    { from: at("many"), to: at("many2"), recursive: true },
  )
  expect(skipped.length).toBe(fileLimits.skippedNamed)
})

overfill(["treeDepth"], "deeper trees are refused", async () => {
  const deep = Array.from({ length: fileLimits.treeDepth + 2 }, () => "d").join("/")
  Bun.spawnSync(["mkdir", "-p", at(`deep/${deep}`)])
  await shared.fs.refused("invalid_request", "DELETE", "entry", { path: at("deep"), recursive: true })
  await shared.fs.refused("invalid_request", "POST", "copy", {}, { from: at("deep"), to: at("deep2"), recursive: true })
  expect(existsSync(at("deep2"))).toBe(false)
})

overfill(
  ["transferStallMs"],
  "a client that leaves half-way, or stalls, leaves the old file and nothing else",
  async () => {
    await shared.fs.ok("PUT", "file", { path: at("left/old") }, "old")
    const send = (then: "leave" | "stay", { url, token }: TestDaemon) =>
      new Promise<string>((resolve) => {
        const { hostname, port } = new URL(url)
        const socket = connect(Number(port), hostname, () => {
          socket.write(
            `PUT /v1/fs/file?${queryOf({ path: at("left/more/new") })} HTTP/1.1\r\nhost: ${hostname}\r\nauthorization: Bearer ${token}\r\ncontent-length: 1000000\r\n\r\n${"x".repeat(100_000)}`,
          )
        })
        let said = ""
        socket.on("data", (bytes) => {
          said += bytes
          socket.end()
        })
        socket.on("close", () => resolve(said))
        if (then === "leave")
          void expect
            .poll(() => existsSync(at("left/more")))
            .toBe(true)
            .then(() => socket.destroy())
      })
    await send("leave", shared.daemon)
    await expect.poll(() => existsSync(at("left/more"))).toBe(false)
    await using hasty = await startDaemon({ intervals: { transferStallMs: 300 } })
    expect(await send("stay", hasty)).toContain("urn:sandbox-agent:error:timeout")
    await expect.poll(() => existsSync(at("left/more"))).toBe(false)
    expect(readdirSync(at("left"))).toEqual(["old"])
    expect(fileLimits.transferStallMs).toBeGreaterThan(300)
  },
)

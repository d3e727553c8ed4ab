import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { connect } from "node:net"
import { join } from "node:path"
import { rounds } from "@sandbox-agent/test-agents/extent"
import { expect, test } from "vitest"
import { scratch, startDaemon, type TestDaemon } from "../harness/daemon.ts"
import { queryOf, workspace } from "./files-api.ts"
import { rawArchive } from "./tar-bytes.ts"

/** Sends a part of a request, then as told; resolves when the connection is over. */
function send(
  daemon: TestDaemon,
  head: string,
  body: Buffer,
  upTo: number,
  then: (sent: () => void) => void,
): Promise<void> {
  const { hostname, port } = new URL(daemon.url)
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname, () => {
      socket.write(
        `${head} HTTP/1.1\r\nhost: ${hostname}\r\nauthorization: Bearer ${daemon.token}\r\ncontent-length: ${body.length}\r\n\r\n`,
      )
      socket.write(body.subarray(0, upTo), () => then(() => socket.destroy()))
    })
    socket.on("close", () => resolve())
    socket.on("error", () => resolve())
    socket.on("data", () => socket.destroy())
  })
}

const left = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.includes(".sandbox-agent-"))

test("kill -9 in any phase of a PUT leaves the old file or the new one, and the next daemon leaves nothing else", async () => {
  const dataDir = scratch()
  const folder = workspace()
  const path = join(folder, "sub/file")
  mkdirSync(join(folder, "sub"))
  const old = "old".repeat(1000)
  const body = Buffer.alloc(2_000_000, "new")
  const seen = new Set<string>()
  const count = rounds(12, 80)
  for (let round = 0; round < count; round++) {
    writeFileSync(path, old)
    const daemon = await startDaemon({ dataDir })
    // Not begun, half-way, all but the last byte, and all of it with a moment that differs.
    const upTo = [0, 1, 1_000_000, 1_999_999][round % 6] ?? body.length
    const gone = send(daemon, `PUT /v1/fs/file?${queryOf({ path })}`, body, upTo, () => {
      const kill = () => daemon.kill("SIGKILL")
      if (upTo === body.length) setTimeout(kill, (round * 7) % 13)
      else if (upTo === 0) kill()
      else void until(() => left(folder).length > 0).then(kill)
    })
    await Promise.all([gone, daemon.exited])
    const now = readFileSync(path, "utf8")
    expect([old, body.toString()].includes(now), `round ${round}`).toBe(true)
    seen.add(now === old ? "old" : "new")
    if (left(folder).length > 0) seen.add("draft")
    await using next = await startDaemon({ dataDir })
    expect(left(folder), `round ${round}, ${next.url}`).toEqual([])
  }
  expect(readdirSync(join(folder, "sub"))).toEqual(["file"])
  expect([...seen].sort((a, b) => (a < b ? -1 : 1))).toEqual(expect.arrayContaining(["draft", "old"]))
  for (const one of [dataDir, folder]) rmSync(one, { recursive: true })
}, 600_000)

test("kill -9 in any phase of an upload leaves whole files only", async () => {
  const dataDir = scratch()
  const entries = Array.from({ length: 300 }, (_, i) => ({
    name: `d${i % 7}/f${i}`,
    content: Buffer.alloc(i * 700, i),
  }))
  const archive = rawArchive(...entries)
  const seen = new Set<string>()
  for (let round = 0; round < rounds(8, 60); round++) {
    const folder = workspace()
    mkdirSync(join(folder, "d3"))
    writeFileSync(join(folder, "d3/f3"), "old")
    const daemon = await startDaemon({ dataDir })
    const upTo = Math.floor((archive.length * (round % 8)) / 7)
    const gone = send(daemon, `POST /v1/fs/upload-batch?${queryOf({ path: folder })}`, archive, upTo, () => {
      void until(() => upTo === 0 || left(folder).length > 0 || existsSync(join(folder, "d6/f299"))).then(() =>
        setTimeout(() => daemon.kill("SIGKILL"), (round * 11) % 40),
      )
    })
    await Promise.all([gone, daemon.exited])
    if (left(folder).length > 0) seen.add("draft")
    await using next = await startDaemon({ dataDir })
    expect(left(folder), `round ${round}, ${next.url}`).toEqual([])
    for (const { name, content } of entries) {
      if (!existsSync(join(folder, name))) continue
      seen.add("file")
      const now = readFileSync(join(folder, name))
      expect(now.equals(content) || (name === "d3/f3" && now.toString() === "old"), `round ${round}, ${name}`).toBe(
        true,
      )
    }
    rmSync(folder, { recursive: true })
  }
  expect([...seen].sort((a, b) => (a < b ? -1 : 1))).toEqual(["draft", "file"])
  rmSync(dataDir, { recursive: true })
}, 600_000)

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await Bun.sleep(1)
}

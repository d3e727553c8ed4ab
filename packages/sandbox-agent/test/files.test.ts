import { execFileSync } from "node:child_process"
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, expect, test } from "vitest"
import { type FileChange, type Progress, SandboxAgentClient, type UploadFile } from "../src/sandbox-agent.ts"
import { TestDaemon, token } from "./harness/daemon.ts"
import { startFront } from "./harness/front.ts"

let daemon: TestDaemon
let client: SandboxAgentClient
const here = mkdtempSync(join(tmpdir(), "sandbox-agent-files-"))
let there: string
beforeAll(async () => {
  daemon = await TestDaemon.start()
  there = join(daemon.home, "there")
  mkdirSync(there)
  client = new SandboxAgentClient({ autoConnect: false, baseUrl: daemon.baseUrl, token })
})
afterAll(async () => {
  await daemon[Symbol.asyncDispose]()
  rmSync(here, { recursive: true, force: true })
})

const MiB = 2 ** 20
/** Bytes that differ from place to place. */
const bytesOf = (length: number): Uint8Array<ArrayBuffer> =>
  Uint8Array.from({ length }, (_, at) => (at * 31 + (at >> 11)) % 251)
const sameBytes = (found: Uint8Array, expected: Uint8Array) => expect(Buffer.compare(found, expected)).toBe(0)

/** Grows to the end, and knows where that is. */
function expectWhole(seen: Progress[], total: number): void {
  expect(seen.length).toBeGreaterThan(1)
  expect(seen.map(({ bytes }) => bytes)).toEqual(seen.map(({ bytes }) => bytes).sort((a, b) => a - b))
  expect(seen.at(-1)).toEqual({ bytes: total, total })
}

test("streams in and out, as they come, with progress", async () => {
  const content = bytesOf(8 * MiB)
  const path = join(there, "deep/streamed.bin")
  const pieces = Array.from({ length: 16 }, (_, at) => content.slice((at * MiB) / 2, ((at + 1) * MiB) / 2))
  const sent: Progress[] = []
  const stream = new ReadableStream<Uint8Array>({
    pull(controller) {
      const piece = pieces.shift()
      if (piece === undefined) controller.close()
      else controller.enqueue(piece)
    },
  })
  const written = await client.fs.write(path, stream, { onProgress: (progress) => sent.push(progress) })
  expect(written).toMatchObject({ bytesWritten: content.length, created: true })
  expect(sent.at(-1)).toEqual({ bytes: content.length })
  sameBytes(readFileSync(path), content)
  const whole: Progress[] = []
  await client.fs.write(path, content, { onProgress: (progress) => whole.push(progress) })
  expectWhole(whole, content.length)
  const read: Progress[] = []
  sameBytes(await client.fs.read(path, { onProgress: (progress) => read.push(progress) }), content)
  expectWhole(read, content.length)
  const streamed: Progress[] = []
  const out = await client.fs.readStream(path, { onProgress: (progress) => streamed.push(progress) })
  sameBytes(new Uint8Array(await new Response(out).arrayBuffer()), content)
  expectWhole(streamed, content.length)
  sameBytes(await client.fs.read(path, { range: { start: 10, end: 19 } }), content.slice(10, 20))
})

/** What a folder holds, by path: content, mode, where links lead. */
const treeOf = (folder: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .map((entry) => {
        const path = join(entry.parentPath, entry.name)
        const mode = (statSync(path).mode & 0o777).toString(8)
        if (entry.isSymbolicLink()) return [path, "link"]
        return [path, entry.isDirectory() ? `folder ${mode}` : `${readFileSync(path, "utf8")} ${mode}`]
      })
      .map(([path = "", what = ""]) => [path.slice(folder.length + 1), what]),
  )

test("a folder goes there and comes back as it was", async () => {
  const folder = join(here, "project")
  mkdirSync(join(folder, "src/empty"), { recursive: true })
  writeFileSync(join(folder, "src/main.ts"), "export {}\n")
  writeFileSync(join(folder, `${"long-".repeat(40)}ä.txt`), "long")
  writeFileSync(join(folder, ".hidden"), "dot")
  writeFileSync(join(folder, "run.sh"), "#!/bin/sh\n")
  chmodSync(join(folder, "run.sh"), 0o755)
  symlinkSync("src/main.ts", join(folder, "link"))
  const sent: Progress[] = []
  const up = await client.fs.upload(folder, join(there, "project"), { onProgress: (progress) => sent.push(progress) })
  expect(up).toEqual({ files: 4, bytes: "export {}\nlongdot#!/bin/sh\n".length, skipped: [] })
  expect(sent.length).toBeGreaterThan(0)
  expect(treeOf(join(there, "project"))).toEqual(treeOf(folder))
  const down = await client.fs.download(join(there, "project"), join(here, "back/again"))
  expect(down.bytes).toBeGreaterThan(0)
  expect(treeOf(join(here, "back/again"))).toEqual(treeOf(folder))
  await client.fs.download(join(there, "project"), join(here, "shown"), { hidden: false })
  expect(readdirSync(join(here, "shown"))).not.toContain(".hidden")
})

test("a file goes there and comes back with its mode", async () => {
  const file = join(here, "tool")
  writeFileSync(file, bytesOf(3 * MiB), { mode: 0o750 })
  chmodSync(file, 0o750)
  const sent: Progress[] = []
  const up = await client.fs.upload(file, join(there, "bin/tool"), { onProgress: (progress) => sent.push(progress) })
  expect(up).toEqual({ files: 1, bytes: 3 * MiB, skipped: [] })
  expectWhole(sent, 3 * MiB)
  expect(statSync(join(there, "bin/tool")).mode & 0o777).toBe(0o750)
  await client.fs.download(join(there, "bin/tool"), join(here, "new/tool"))
  sameBytes(readFileSync(join(here, "new/tool")), readFileSync(file))
  expect(statSync(join(here, "new/tool")).mode & 0o777).toBe(0o750)
})

test("files from anywhere become a folder there; what the daemon leaves out is named", async () => {
  async function* made(): AsyncGenerator<UploadFile> {
    yield { path: "a.txt", content: "one" }
    yield { path: "b/c.sh", content: new Blob(["two"]), mode: 0o755 }
    yield { path: "../outside", content: "no" }
  }
  const up = await client.fs.upload(made(), join(there, "made"))
  expect(up).toMatchObject({ files: 2, bytes: 6, skipped: [{ path: expect.stringContaining("outside") }] })
  expect(treeOf(join(there, "made"))).toMatchObject({ "a.txt": "one 644", "b/c.sh": "two 755" })
  const broken = client.fs.upload(
    (function* (): Generator<UploadFile> {
      yield { path: "first", content: "x" }
      throw new Error("no more files")
    })(),
    join(there, "broken"),
  )
  await expect(broken).rejects.toMatchObject({ name: "SandboxAgentError" })
})

test("a pipe is refused at once, and named where it stands in a folder", async () => {
  const pipe = join(here, "pipe")
  const folder = join(here, "with-pipe")
  mkdirSync(join(folder, "sub"), { recursive: true })
  writeFileSync(join(folder, "file"), "text")
  for (const path of [pipe, join(folder, "sub/pipe")]) execFileSync("mkfifo", [path])
  await expect(client.fs.upload(pipe, join(there, "pipe"))).rejects.toMatchObject({
    kind: "argument",
    message: expect.stringContaining("neither a file nor a folder"),
  })
  const up = await client.fs.upload(folder, join(there, "with-pipe"))
  expect(up).toMatchObject({ files: 1, skipped: [{ path: "sub/pipe", reason: expect.stringContaining("neither") }] })
})

test("what is not there, here or there, is told", async () => {
  await expect(client.fs.upload(join(here, "nothing"), there)).rejects.toMatchObject({
    kind: "argument",
    message: expect.stringContaining("ENOENT"),
  })
  await expect(client.fs.download(join(there, "nothing"), here)).rejects.toMatchObject({ code: "not_found" })
  writeFileSync(join(here, "plain"), "")
  await client.fs.write(join(there, "one"), "1")
  await expect(client.fs.download(join(there, "one"), join(here, "plain/below"))).rejects.toMatchObject({
    kind: "argument",
  })
})

test("a download that is cut off is an error and leaves no part of a file", async () => {
  await client.fs.write(join(there, "cut.bin"), bytesOf(4 * MiB))
  using front = await startFront(daemon.baseUrl, (seen, answer, pass) => {
    let passed = 0
    pass((bytes) => {
      passed += bytes
      if (seen.path === "/v1/fs/file" && passed > MiB) answer.destroy()
    })
  })
  const shaky = new SandboxAgentClient({
    autoConnect: false,
    baseUrl: front.baseUrl,
    token,
    limits: { pauseMinMs: 1, pauseMaxMs: 2, attempts: 2 },
  })
  mkdirSync(join(here, "cut"))
  await expect(shaky.fs.download(join(there, "cut.bin"), join(here, "cut/file"))).rejects.toMatchObject({
    kind: "network",
  })
  expect(readdirSync(join(here, "cut"))).toEqual([])
  await expect(shaky.fs.read(join(there, "cut.bin"))).rejects.toMatchObject({ kind: "network" })
  // Something in front of the daemon may end it as if it were whole.
  using short = await startFront(daemon.baseUrl, (_, answer) => {
    answer.writeHead(200, { "x-content-length": "100" }).end("some")
  })
  const cut = new SandboxAgentClient({ autoConnect: false, baseUrl: short.baseUrl, token, limits: { attempts: 1 } })
  await expect(cut.fs.read("/x")).rejects.toMatchObject({ kind: "network" })
  await expect(new Response(await cut.fs.readStream("/x")).text()).rejects.toMatchObject({ kind: "network" })
})

test("a download that stands still is a timeout, and one that is aborted says so", async () => {
  await client.fs.write(join(there, "still.bin"), bytesOf(4 * MiB))
  using front = await startFront(daemon.baseUrl, (_, answer) => {
    answer.writeHead(200, { "content-type": "application/octet-stream", "x-content-length": "100" })
    answer.write("some")
  })
  const still = new SandboxAgentClient({ autoConnect: false, baseUrl: front.baseUrl, token, limits: { stallMs: 50 } })
  const stream = await still.fs.readStream("/x")
  await expect(new Response(stream).arrayBuffer()).rejects.toMatchObject({ kind: "timeout" })
  const controller = new AbortController()
  const patient = new SandboxAgentClient({ autoConnect: false, baseUrl: front.baseUrl, token })
  const reader = (await patient.fs.readStream("/x", { signal: controller.signal })).getReader()
  await reader.read()
  const next = reader.read()
  controller.abort()
  await expect(next).rejects.toMatchObject({ kind: "aborted" })
})

test("changes are watched, names and lines are found", async () => {
  const folder = join(there, "watched")
  mkdirSync(folder)
  const seen: FileChange[] = []
  for await (const change of client.fs.watch(folder)) {
    seen.push(change)
    if (change.type === "ready") await client.fs.write(join(folder, "new.txt"), "a needle in it\n")
    else if (change.path?.endsWith("new.txt")) break
  }
  expect(seen[0]?.type).toBe("ready")
  const found = []
  for await (const event of client.fs.search("needle", { path: folder })) found.push(event)
  expect(found).toMatchObject([{ type: "match" }, { type: "done" }])
})

import { appendFileSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { FileChange, FileEntry } from "@sandbox-agent/schema/file"
import { fileLimits } from "@sandbox-agent/schema/file-limits"
import { FileChangeSchema } from "@sandbox-agent/schema/file-view"
import { full, rounds } from "@sandbox-agent/test-agents/extent"
import { expect, onTestFinished, test } from "vitest"
import { expectExactly } from "../api/contract-check.ts"
import { root as repository } from "../harness/daemon.ts"
import { sseEvents } from "../harness/sse.ts"
import { filesDaemon, type Query, queryOf, workspace } from "./files-api.ts"
import { overfill } from "./overfill.ts"
import { twoCommits } from "./two-commits.ts"

const shared = filesDaemon(() => ({ intervals: { heartbeatMs: 200 } }))

/** A client that does what the page says: waits for `ready`, lists, applies what follows. */
class Follower {
  readonly tree = new Map<string, string>()
  readonly seen: FileChange[] = []
  readonly #leave = new AbortController()
  #changed: (() => void) | undefined
  ended: Promise<void> = Promise.resolve()
  resyncs = 0

  constructor(
    readonly folder: string,
    readonly query: Query = {},
    readonly headers: Record<string, string> = {},
  ) {}

  async start(): Promise<this> {
    const response = await fetch(`${shared.daemon.url}/v1/fs/watch?${queryOf({ path: this.folder, ...this.query })}`, {
      headers: { ...shared.daemon.api.headers, ...this.headers },
      signal: this.#leave.signal,
    })
    if (!response.ok) throw new Error(await response.text())
    const { promise, resolve } = Promise.withResolvers<void>()
    this.ended = this.#follow(response, resolve).catch((error: unknown) => {
      if (!this.#leave.signal.aborted) throw error
    })
    await Promise.race([promise, this.ended])
    onTestFinished(() => this.leave())
    return this
  }

  async #follow(response: Response, ready: () => void): Promise<void> {
    let id = 0
    for await (const frame of sseEvents(response)) {
      expect(Number(frame.id)).toBe(++id)
      const change = JSON.parse(frame.data) as FileChange
      expectExactly(FileChangeSchema, change, "a change")
      this.seen.push(change)
      if (change.type === "ready" || change.type === "resync") await this.#list()
      if (change.type === "resync") this.resyncs++
      this.#apply(change)
      if (change.type === "ready") ready()
      this.#changed?.()
    }
  }

  async #list(): Promise<void> {
    this.tree.clear()
    const { recursive = true, gitignore = false } = this.query
    const query = { path: this.folder, depth: recursive ? fileLimits.entriesDepth : 1, gitignore }
    for (const { path, entryType, symlink } of await shared.fs.ok<FileEntry[]>("GET", "entries", query))
      this.tree.set(path, symlink === undefined ? entryType : "file")
  }

  #apply({ type, path = "", from = "", entryType = "file" }: FileChange): void {
    if (type === "deleted") this.#forget(path)
    if (type === "moved") this.#forget(from)
    if (type === "created" || type === "moved") {
      this.#forget(path)
      this.tree.set(path, entryType)
    }
  }

  /** With all below it. */
  #forget(gone: string): void {
    for (const path of this.tree.keys()) if (path === gone || path.startsWith(`${gone}/`)) this.tree.delete(path)
  }

  /** Until everything that has happened was told: a listing has what is about to be told as well. */
  async settled(): Promise<void> {
    for (let isTold = false; !isTold; ) {
      const sign = join(this.folder, `sign-${Math.random()}`)
      writeFileSync(sign, "")
      while (!this.tree.has(sign))
        await Promise.race([
          new Promise<void>((resolve) => {
            this.#changed = resolve
          }),
          this.ended.then(() => Promise.reject(new Error("the watch ended"))),
        ])
      isTold = this.seen.some(({ path }) => path === sign)
    }
  }

  leave(): void {
    this.#leave.abort()
  }
}

function onDisk(folder: string): Map<string, string> {
  const found = new Map<string, string>()
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true }))
    found.set(join(entry.parentPath, entry.name), entry.isDirectory() ? "directory" : "file")
  return found
}

const sorted = (tree: Map<string, string>) => [...tree].sort(([a], [b]) => (a < b ? -1 : 1))
const brief = ({ type, path, from }: FileChange, folder: string) =>
  [type, ...[from, path].flatMap((one) => (one === undefined ? [] : [one.slice(folder.length + 1)]))].join(" ")

test("created, modified, deleted and moved, in folders that were there and in new ones", async () => {
  const folder = workspace()
  mkdirSync(join(folder, "old"))
  const follower = await new Follower(folder).start()
  writeFileSync(join(folder, "old/a"), "1")
  await follower.settled()
  appendFileSync(join(folder, "old/a"), "2")
  renameSync(join(folder, "old/a"), join(folder, "b"))
  mkdirSync(join(folder, "new/deep"), { recursive: true })
  writeFileSync(join(folder, "new/deep/c"), "")
  await follower.settled()
  renameSync(join(folder, "new"), join(folder, "old/moved"))
  writeFileSync(join(folder, "old/moved/deep/d"), "")
  rmSync(join(folder, "b"))
  await follower.settled()
  const reported = follower.seen.map((change) => brief(change, folder)).filter((line) => !line.includes("sign-"))
  // What is made in a folder that has just been moved may be found there, and told.
  expect([...new Set(reported)].filter((line) => !line.startsWith("modified"))).toEqual([
    "ready",
    "created old/a",
    "moved old/a b",
    "created new",
    "created new/deep",
    "created new/deep/c",
    "moved new old/moved",
    "created old/moved/deep",
    "created old/moved/deep/c",
    "created old/moved/deep/d",
    "deleted b",
  ])
  expect(reported).toContain("modified old/a")
  expect(sorted(follower.tree)).toEqual(sorted(onDisk(folder)))
})

test("a git checkout and an npm install end with exactly the tree on disk", async () => {
  const folder = workspace()
  const run = (...words: string[]) => {
    const { exitCode, stderr } = Bun.spawnSync(words, {
      cwd: folder,
      env: { ...process.env, GIT_CONFIG_GLOBAL: "/dev/null" },
    })
    if (exitCode !== 0) throw new Error(`${words.join(" ")}: ${stderr}`)
  }
  const origin = workspace()
  twoCommits(origin)
  mkdirSync(join(folder, "repository"))
  const follower = await new Follower(folder).start()
  run("git", "clone", "-q", "--no-checkout", origin, "repository/clone")
  run("git", "-C", "repository/clone", "checkout", "-q", "HEAD")
  run("git", "-C", "repository/clone", "checkout", "-q", "HEAD~1")
  run("git", "-C", "repository/clone", "checkout", "-q", "-")
  await follower.settled()
  expect(sorted(follower.tree)).toEqual(sorted(onDisk(folder)))
  mkdirSync(join(folder, "project"))
  run("npm", "pack", "--silent", join(repository, "node_modules/ignore"), join(repository, "node_modules/zod"))
  const packed = readdirSync(folder).filter((name) => name.endsWith(".tgz"))
  run(
    "npm",
    "install",
    "--silent",
    "--offline",
    "--no-audit",
    "--no-fund",
    "--prefix",
    "project",
    ...packed.map((name) => `./${name}`),
  )
  run("npm", "uninstall", "--silent", "--offline", "--no-audit", "--prefix", "project", "zod")
  await follower.settled()
  expect(statSync(join(folder, "project/node_modules/ignore")).isDirectory()).toBe(true)
  expect(sorted(follower.tree)).toEqual(sorted(onDisk(folder)))
}, 300_000)

test("folders that are made, moved and removed as fast as can be end with the tree on disk", async () => {
  const folder = workspace()
  const follower = await new Follower(folder).start()
  const names = ["a", "b", "c", "d"]
  const pick = (list: string[]) => list[Math.floor(Math.random() * list.length)] ?? ""
  const some = () => join(folder, ...Array.from({ length: 1 + Math.floor(Math.random() * 3) }, () => pick(names)))
  for (let i = 0; i < rounds(1_500, 20_000); i++) {
    try {
      const kind = i % 4
      if (kind === 0) mkdirSync(some(), { recursive: true })
      else if (kind === 1) writeFileSync(join(some(), pick(["f", "g"])), String(i))
      else if (kind === 2) renameSync(some(), some())
      else if (i % 12 === 11) rmSync(some(), { recursive: true, force: true })
    } catch {
      // Not there, not empty, inside itself: the next one fits.
    }
    if (i % 50 === 0) await Bun.sleep(1)
  }
  await follower.settled()
  expect(sorted(follower.tree)).toEqual(sorted(onDisk(folder)))
}, 120_000)

test("gitignore leaves out what git would, and a changed .gitignore is a resync", async () => {
  const folder = workspace()
  writeFileSync(join(folder, ".gitignore"), "dist\n")
  const follower = await new Follower(folder, { gitignore: true }).start()
  mkdirSync(join(folder, "dist"))
  writeFileSync(join(folder, "dist/out"), "")
  writeFileSync(join(folder, "in"), "")
  await follower.settled()
  expect(follower.seen.filter(({ path }) => path?.includes("dist"))).toEqual([])
  writeFileSync(join(folder, ".gitignore"), "in\n")
  while (follower.resyncs === 0) await Bun.sleep(5)
  await follower.settled()
  expect([follower.tree.has(join(folder, "in")), follower.tree.has(join(folder, "dist/out"))]).toEqual([false, true])
})

test("not recursive: the folder itself alone", async () => {
  const folder = workspace()
  mkdirSync(join(folder, "sub"))
  const follower = await new Follower(folder, { recursive: false }).start()
  writeFileSync(join(folder, "sub/x"), "")
  writeFileSync(join(folder, "y"), "")
  await follower.settled()
  expect(follower.seen.some(({ path }) => path === join(folder, "sub/x"))).toBe(false)
})

test("who comes back with an id is told to look again", async () => {
  const follower = await new Follower(workspace(), {}, { "last-event-id": "7" }).start()
  while (follower.resyncs === 0) await Bun.sleep(5)
  expect(follower.seen.map(({ type }) => type)).toEqual(["ready", "resync"])
})

overfill(
  ["watchWaiting"],
  "a client that takes nothing is told to look again, not given less",
  async () => {
    const folder = workspace()
    const response = await fetch(`${shared.daemon.url}/v1/fs/watch?${queryOf({ path: folder })}`, {
      headers: shared.daemon.api.headers,
    })
    const count = fileLimits.watchWaiting * 4
    Bun.spawnSync([
      "sh",
      "-c",
      `cd ${folder} && seq 1 ${count} | xargs touch && seq 1 ${count} | xargs rm && touch last`,
    ])
    let types = new Set<string>()
    for await (const { data } of sseEvents(response)) {
      const { type, path } = JSON.parse(data) as FileChange
      types = types.add(type)
      if (path === join(folder, "last") || type === "resync") break
    }
    expect([...types]).toContain("resync")
  },
  { timeout: 120_000 },
)

test("the end of the folder ends the watch", async () => {
  const folder = workspace()
  const follower = await new Follower(folder).start()
  rmSync(folder, { recursive: true })
  await follower.ended
  expect(follower.seen.at(-1)).toMatchObject({ type: "deleted", path: folder })
})

overfill(["watches"], "one too many is refused; those that left make room", async () => {
  const folder = workspace()
  const all = await Promise.all(Array.from({ length: fileLimits.watches }, () => new Follower(folder).start()))
  const refused = await shared.fs.refused("too_many_requests", "GET", "watch", { path: folder })
  expect(refused).toMatchObject({ limit: fileLimits.watches, hint: expect.stringMatching(/end one/) })
  for (const one of all) one.leave()
  for (;;) {
    const response = await fetch(`${shared.daemon.url}/v1/fs/watch?${queryOf({ path: folder })}`, {
      headers: shared.daemon.api.headers,
    })
    await response.body?.cancel()
    if (response.ok) break
  }
})

overfill(
  ["watchedFolders"],
  "more of them, or more than the system allows, is refused; and nothing of it stays",
  async () => {
    const folder = workspace()
    const each = Math.ceil(Math.sqrt(fileLimits.watchedFolders)) + 1
    Bun.spawnSync(
      ["sh", "-c", `seq 1 ${each} | xargs mkdir && for d in *; do (cd $d && seq 1 ${each} | xargs mkdir); done`],
      {
        cwd: folder,
      },
    )
    await shared.fs.refused("unavailable", "GET", "watch", { path: folder })
    const follower = await new Follower(join(folder, "1")).start()
    mkdirSync(join(folder, "1/2/new"))
    await follower.settled()
    expect(follower.seen.map(({ path }) => path)).toContain(join(folder, "1/2/new"))
    follower.leave()
    Bun.spawnSync(["rm", "-rf", folder]) // faster by far than what removes the others
  },
  { timeout: 600_000, skip: !full },
)

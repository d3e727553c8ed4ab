import { mkdirSync, statSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { FileEntry, FileStat } from "@sandbox-agent/schema/file"
import { expect, test } from "vitest"
import { filesDaemon, workspace } from "./files-api.ts"

const shared = filesDaemon()

function tree(files: Record<string, string>): string {
  const root = workspace()
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(root, name, ".."), { recursive: true })
    if (name.endsWith("/")) mkdirSync(join(root, name), { recursive: true })
    else writeFileSync(join(root, name), text)
  }
  return root
}

const names = (entries: FileEntry[], root: string): string[] => entries.map(({ path }) => path.slice(root.length + 1))

test("a folder is listed sorted by bytes, with what is known of each", async () => {
  const root = tree({ "b.txt": "two", "a/inside": "", Z: "", ".hidden": "", ä: "" })
  symlinkSync("a", join(root, "to-a"))
  symlinkSync("nowhere", join(root, "broken"))
  const entries = await shared.fs.ok<FileEntry[]>("GET", "entries", { path: root })
  expect(names(entries, root)).toEqual([".hidden", "Z", "a", "b.txt", "broken", "to-a", "ä"])
  const mode = (statSync(join(root, "b.txt")).mode & 0o7777).toString(8).padStart(4, "0")
  expect(entries[3]).toMatchObject({ name: "b.txt", entryType: "file", size: 3, mode })
  expect(entries[5]).toMatchObject({ entryType: "directory", symlink: "a" })
  expect(entries[4]).toMatchObject({ entryType: "file", symlink: "nowhere" })
  expect(Date.parse(entries[3]?.modified ?? "")).toBeGreaterThan(Date.now() - 600_000)
  expect(names(await shared.fs.ok("GET", "entries", { path: root, hidden: false }), root)).not.toContain(".hidden")
})

test("depth lists each folder before what is in it; links are not followed", async () => {
  const root = tree({ "a/b/c/d": "", "a.b": "", "a/z": "", e: "" })
  symlinkSync("..", join(root, "a/up"))
  const listed = async (depth: number) =>
    names(await shared.fs.ok<FileEntry[]>("GET", "entries", { path: root, depth }), root)
  expect(await listed(1)).toEqual(["a", "a.b", "e"])
  expect(await listed(2)).toEqual(["a", "a/b", "a/up", "a/z", "a.b", "e"])
  expect(await listed(9)).toEqual(["a", "a/b", "a/b/c", "a/b/c/d", "a/up", "a/z", "a.b", "e"])
})

test("pages meet without gap or double, by x-next-cursor and by Link, wherever they end", async () => {
  const root = tree({ "a/b/c": "", "a/b/d": "", "a/e": "", "a.b": "", f: "", "g/h": "" })
  const whole = names(await shared.fs.ok<FileEntry[]>("GET", "entries", { path: root, depth: 9 }), root)
  for (const limit of [1, 2, 3, 5]) {
    const found: string[] = []
    let next: string | undefined = `?path=${root}&depth=9&limit=${limit}`
    while (next !== undefined) {
      const response: Response = await fetch(`${shared.daemon.url}/v1/fs/entries${next}`, {
        headers: shared.daemon.api.headers,
      })
      found.push(...names((await response.json()) as FileEntry[], root))
      const cursor = response.headers.get("x-next-cursor")
      next = /^<(.+)>; rel="next"$/.exec(response.headers.get("link") ?? "")?.[1]
      expect(next === undefined).toBe(cursor === null)
    }
    expect(found).toEqual(whole)
  }
  await shared.fs.refused("invalid_request", "GET", "entries", { path: root, cursor: "Ly8" })
})

test("what .gitignore files name is left out on request, as git would", async () => {
  const root = tree({
    ".gitignore": "node_modules/\n*.log\n!keep.log\n/only-here\n",
    "node_modules/x/index.js": "",
    "a.log": "",
    "keep.log": "",
    "only-here": "",
    "sub/only-here": "",
    "sub/.gitignore": "local\n!a.log\n",
    "sub/local": "",
    "sub/a.log": "",
    ".git/config": "",
    ".git/info/exclude": "secret\n",
    secret: "",
  })
  const listed = names(
    await shared.fs.ok<FileEntry[]>("GET", "entries", { path: root, depth: 9, gitignore: true }),
    root,
  )
  expect(listed).toEqual([".gitignore", "keep.log", "sub", "sub/.gitignore", "sub/a.log", "sub/only-here"])
  const below = names(await shared.fs.ok<FileEntry[]>("GET", "entries", { path: `${root}/sub`, gitignore: true }), root)
  expect(below).toEqual(["sub/.gitignore", "sub/a.log", "sub/only-here"])
  Bun.spawnSync(["git", "init", "-q", root])
  const git = Bun.spawnSync(["git", "ls-files", "-o", "--exclude-standard"], { cwd: root }).stdout.toString().trim()
  expect(new Set(listed.filter((name) => name !== "sub"))).toEqual(new Set(git.split("\n")))
})

test("without a path: the session's directory, and relative paths begin there", async () => {
  const root = tree({ "mine/a": "x" })
  await shared.daemon.api.create("files", { directory: root })
  expect(names(await shared.fs.ok<FileEntry[]>("GET", "entries", { sessionId: "files" }), root)).toEqual(["mine"])
  const stat = await shared.fs.ok<FileStat>("GET", "stat", { sessionId: "files", path: "mine/../mine/a" })
  expect(stat).toMatchObject({ path: `${root}/mine/a`, size: 1, entryType: "file" })
  await shared.fs.refused("invalid_request", "GET", "stat", { path: "mine/a" })
  await shared.fs.refused("session_not_found", "GET", "stat", { path: "mine/a", sessionId: "nobody" })
})

test("names that are not UTF-8 are listed, and reached by their uri", async () => {
  const root = workspace()
  Bun.spawnSync(["bash", "-c", `cd ${root} && mkdir $'d\\xff' && printf hello > $'d\\xff/a\\xfe b'`])
  const [entry] = (await shared.fs.ok<FileEntry[]>("GET", "entries", { path: root, depth: 2 })).slice(1)
  expect(entry).toMatchObject({ name: "a\ufffd b", uri: `file://${root}/d%ff/a%fe%20b` })
  const uri = entry?.uri ?? ""
  expect(await shared.fs.ok("GET", "file", { path: uri })).toBe("hello")
  await shared.fs.ok("PUT", "file", { path: uri }, "changed")
  await shared.fs.ok("POST", "copy", {}, { from: uri, to: uri.replace("%fe", "%fd") })
  await shared.fs.ok("POST", "move", {}, { from: uri, to: `${root}/plain` })
  expect(await shared.fs.ok("GET", "file", { path: `${root}/plain` })).toBe("changed")
  await shared.fs.ok("DELETE", "entry", { path: `file://${root}/d%FF`, recursive: true })
  expect(names(await shared.fs.ok("GET", "entries", { path: root }), root)).toEqual(["plain"])
  await shared.fs.refused("invalid_request", "GET", "file", { path: "file:///a%f" })
})

test("paths: NUL, and what is not there", async () => {
  await shared.fs.refused("invalid_request", "GET", "stat", { path: "/a\0b" })
  await shared.fs.refused("not_found", "GET", "stat", { path: `${shared.folder}/nothing` })
  await shared.fs.refused("not_found", "GET", "entries", { path: `${shared.folder}/nothing` })
})

import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs"
import { join } from "node:path"
import type { CopiedFiles } from "@sandbox-agent/schema/file"
import { expect, test } from "vitest"
import { disk, mountable } from "../harness/disk.ts"
import { filesDaemon } from "./files-api.ts"

const shared = filesDaemon()
const at = (name: string) => join(shared.folder, name)
const names = (folder: string) => readdirSync(at(folder)).sort((a, b) => (a < b ? -1 : 1))

test("mkdir makes what is missing and leaves what is there", async () => {
  await shared.fs.ok("POST", "mkdir", { path: at("m/a/b"), mode: "0700" })
  expect(statSync(at("m/a/b")).mode & 0o7777).toBe(0o700)
  writeFileSync(at("m/a/b/kept"), "")
  await shared.fs.ok("POST", "mkdir", { path: at("m/a/b") })
  expect(names("m/a/b")).toEqual(["kept"])
  await shared.fs.refused("conflict", "POST", "mkdir", { path: at("m/a/b/kept") })
  await shared.fs.refused("conflict", "POST", "mkdir", { path: at("m/a/b/kept/below") })
  await shared.fs.refused("not_found", "POST", "mkdir", { path: at("m/x/y"), parents: false })
})

test("move renames files, folders and links; what is there goes only when that was said", async () => {
  mkdirSync(at("v/from/deep"), { recursive: true })
  writeFileSync(at("v/from/deep/file"), "x")
  symlinkSync("nowhere", at("v/link"))
  writeFileSync(at("v/taken"), "taken")
  await shared.fs.ok("POST", "move", {}, { from: at("v/from"), to: at("v/new/place") })
  expect(readFileSync(at("v/new/place/deep/file"), "utf8")).toBe("x")
  await shared.fs.ok("POST", "move", {}, { from: at("v/link"), to: at("v/link2") })
  expect(readlinkSync(at("v/link2"))).toBe("nowhere")
  await shared.fs.refused("conflict", "POST", "move", {}, { from: at("v/new/place/deep/file"), to: at("v/taken") })
  await shared.fs.refused("conflict", "POST", "move", {}, { from: at("v/new"), to: at("v/taken") })
  expect(readFileSync(at("v/taken"), "utf8")).toBe("taken")
  await shared.fs.ok("POST", "move", {}, { from: at("v/new/place/deep/file"), to: at("v/taken"), overwrite: true })
  expect(readFileSync(at("v/taken"), "utf8")).toBe("x")
  mkdirSync(at("v/full/inside"), { recursive: true })
  await shared.fs.ok("POST", "move", {}, { from: at("v/new"), to: at("v/full"), overwrite: true })
  expect([names("v"), names("v/full")]).toEqual([["full", "link2", "taken"], ["place"]])
  await shared.fs.refused("invalid_request", "POST", "move", {}, { from: at("v/full"), to: at("v/full/place/in") })
  await shared.fs.refused("not_found", "POST", "move", {}, { from: at("v/none"), to: at("v/made/x") })
  expect(names("v")).toEqual(["full", "link2", "taken"])
})

test.skipIf(!mountable)("move from one file system to another is a copy and a removal", async () => {
  const far = disk("8m")
  mkdirSync(at("x/sub"), { recursive: true })
  writeFileSync(at("x/sub/file"), "far")
  chmodSync(at("x/sub/file"), 0o751)
  symlinkSync("sub/file", at("x/link"))
  await shared.fs.ok("POST", "move", {}, { from: at("x"), to: join(far, "x") })
  expect([existsSync(at("x")), readFileSync(join(far, "x/link"), "utf8")]).toEqual([false, "far"])
  expect(statSync(join(far, "x/sub/file")).mode & 0o7777).toBe(0o751)
  writeFileSync(at("big"), Buffer.alloc(16 * 1024 * 1024))
  await shared.fs.refused("insufficient_storage", "POST", "move", {}, { from: at("big"), to: join(far, "big") })
  expect([existsSync(at("big")), readdirSync(far)]).toEqual([true, ["x"]])
})

test("copy keeps modes, times and links, and names what it leaves out", async () => {
  mkdirSync(at("c/src/sub"), { recursive: true })
  writeFileSync(at("c/src/sub/run"), "#!")
  chmodSync(at("c/src/sub/run"), 0o755)
  utimesSync(at("c/src/sub/run"), 1_000_000, 1_000_000)
  chmodSync(at("c/src/sub"), 0o711)
  symlinkSync("sub/run", at("c/src/link"))
  Bun.spawnSync(["mkfifo", at("c/src/pipe")])
  await shared.fs.refused("conflict", "POST", "copy", {}, { from: at("c/src"), to: at("c/dst") })
  const copied = await shared.fs.ok<CopiedFiles>(
    "POST",
    "copy",
    {},
    { from: at("c/src"), to: at("c/dst"), recursive: true },
  )
  expect(copied).toMatchObject({ files: 1, bytes: 2, skipped: [{ path: at("c/src/pipe") }] })
  expect(statSync(at("c/dst/sub/run"))).toMatchObject({ mode: 0o100755, mtimeMs: 1_000_000_000 })
  expect(statSync(at("c/dst/sub")).mode & 0o7777).toBe(0o711)
  expect(readlinkSync(at("c/dst/link"))).toBe("sub/run")
  await shared.fs.refused("conflict", "POST", "copy", {}, { from: at("c/src/sub/run"), to: at("c/dst/sub/run") })
  await shared.fs.ok("POST", "copy", {}, { from: at("c/src/link"), to: at("c/dst/sub/run"), overwrite: true })
  await shared.fs.refused(
    "invalid_request",
    "POST",
    "copy",
    {},
    { from: at("c/src"), to: at("c/src/sub/in"), recursive: true },
  )
  await shared.fs.refused("invalid_request", "POST", "copy", {}, { from: at("c/src/pipe"), to: at("c/pipe2") })
  expect(names("c")).toEqual(["dst", "src"])
})

test("delete takes a folder with everything in it only when that was said", async () => {
  mkdirSync(at("d/full/deep"), { recursive: true })
  mkdirSync(at("d/empty"))
  writeFileSync(at("d/outside"), "stays")
  symlinkSync("../../outside", at("d/full/deep/link"))
  await shared.fs.refused("conflict", "DELETE", "entry", { path: at("d/full") })
  await shared.fs.ok("DELETE", "entry", { path: at("d/empty") })
  await shared.fs.ok("DELETE", "entry", { path: at("d/full"), recursive: true })
  expect([names("d"), readFileSync(at("d/outside"), "utf8")]).toEqual([["outside"], "stays"])
  await shared.fs.refused("not_found", "DELETE", "entry", { path: at("d/full") })
})

test("chmod, of one or of all; links inside a folder are left alone", async () => {
  mkdirSync(at("h/in"), { recursive: true })
  writeFileSync(at("h/in/file"), "")
  writeFileSync(at("beside"), "")
  chmodSync(at("beside"), 0o644)
  symlinkSync("../../beside", at("h/in/link"))
  await shared.fs.ok("POST", "chmod", {}, { path: at("h"), mode: "0750", recursive: true })
  const modes = ["h", "h/in", "h/in/file", "beside"].map((name) => lstatSync(at(name)).mode & 0o7777)
  expect(modes).toEqual([0o750, 0o750, 0o750, 0o644])
  await shared.fs.refused("invalid_request", "POST", "chmod", {}, { path: at("h"), mode: "rwx" })
  await shared.fs.refused("not_found", "POST", "chmod", {}, { path: at("none"), mode: "0700" })
})

test("the same under /v2", async () => {
  const { status } = await fetch(`${shared.daemon.url}/v2/fs/stat?path=${shared.folder}`, {
    headers: shared.daemon.api.headers,
  })
  expect(status).toBe(200)
})

import { readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { claudeRelease, openVendorServer, program } from "@sandbox-agent/test-agents/vendor-server"
import { expect, test } from "vitest"
import type { Platform } from "../../src/install/platform.ts"
import { envWith, put } from "./programs.ts"
import { openTestInstaller } from "./test-installer.ts"

const platform: Platform = { os: "linux", arch: "x64", libc: "glibc" }
const sources = ["vendor"] as const

/** Tells its version and leaves a line each time it is asked. */
const counting = (version: string, marks: string) => `#!/bin/sh\necho x >> ${marks}\necho ${version}\n`
const count = async (marks: string) => (await readFile(marks, "utf8").catch(() => "")).length / 2

test("nothing there, then PATH, then managed over PATH, then configuration over all", async () => {
  using server = openVendorServer(claudeRelease("2.1.400", "linux-x64", program("2.1.400")))
  await using shop = await openTestInstaller({ sources, mirrors: server.mirrors, platform })
  const env = envWith(join(shop.directory, "path"))
  const installer = shop.another({ env })
  expect(await installer.locate("claude")).toEqual({ installed: false, note: undefined })

  const onPath = await put(shop, "path/claude", program("2.0.0"))
  const path = { installed: true, version: "2.0.0", path: onPath, source: "path" }
  expect(await installer.locate("claude")).toMatchObject(path)
  // Used when present: nothing is downloaded.
  expect(await installer.ensure("claude")).toMatchObject(path)
  expect(await installer.install("claude")).toMatchObject(path)
  expect(server.asked).toEqual([])

  expect(await installer.install("claude", { version: "2.1.400" })).toMatchObject({
    version: "2.1.400",
    source: "managed",
  })
  expect(await installer.locate("claude")).toMatchObject({ version: "2.1.400", source: "managed" })

  const configured = await put(shop, "own/my-claude", program("1.9.9"))
  const other = shop.another({ env, paths: { claude: configured } })
  expect(await other.locate("claude")).toMatchObject({ version: "1.9.9", source: "config", path: configured })
  await expect(other.install("claude", { reinstall: true })).rejects.toThrow(/the configuration says that claude is/)
  expect(await other.install("claude")).toMatchObject({ source: "config" })
  // A session that pins another version does not silently get this one.
  expect(await other.locate("claude", "2.1.400")).toMatchObject({ installed: false, source: "config" })
  const refused = { code: "not_supported", context: { option: "agentVersion" } }
  await expect(other.ensure("claude", { version: "2.1.400" })).rejects.toMatchObject(refused)
  await expect(other.install("claude", { version: "2.1.400" })).rejects.toMatchObject(refused)
  expect(await other.ensure("claude", { version: "1.9.9" })).toMatchObject({ source: "config" })
})

test("a configured path that is no program is not installed, and nothing else is taken for it", async () => {
  await using shop = await openTestInstaller({ paths: { claude: "/nonexistent/claude" } })
  expect(await shop.installer.locate("claude")).toMatchObject({ installed: false, source: "config" })
})

test("a pinned version is found beside the current one, or on PATH when it is that version", async () => {
  using server = openVendorServer({
    ...claudeRelease("2.1.400", "linux-x64", program("2.1.400")),
    ...claudeRelease("2.1.401", "linux-x64", program("2.1.401")),
  })
  await using shop = await openTestInstaller({ sources, mirrors: server.mirrors, platform })
  const installer = shop.another({ env: envWith(join(shop.directory, "path")) })
  await put(shop, "path/claude", program("2.0.0"))
  expect(await installer.ensure("claude", { version: "2.0.0" })).toMatchObject({ source: "path" })
  await installer.install("claude", { version: "2.1.400" })
  expect(await installer.ensure("claude", { version: "2.1.401" })).toMatchObject({ version: "2.1.401" })
  // For one session only: the others stay where they are.
  expect(await installer.locate("claude")).toMatchObject({ version: "2.1.400" })
  expect(await installer.locate("claude", "2.1.401")).toMatchObject({ version: "2.1.401", source: "managed" })
  expect(await installer.locate("claude", "9.9.9")).toMatchObject({ installed: false })
  // And back and forth without another download.
  const before = server.asked.length
  expect(await installer.install("claude", { version: "2.1.401" })).toMatchObject({ version: "2.1.401" })
  expect(await installer.locate("claude")).toMatchObject({ version: "2.1.401" })
  expect(server.asked.length).toBe(before)
})

test("the version of a file is asked once, and again when the file changes", async () => {
  await using shop = await openTestInstaller()
  const marks = join(shop.directory, "marks")
  const installer = shop.another({ env: envWith(join(shop.directory, "path")) })
  await put(shop, "path/claude", counting("2.0.0", marks))
  await Promise.all(Array.from({ length: 5 }, () => installer.locate("claude")))
  await installer.locate("claude")
  expect(await count(marks)).toBe(1)
  await put(shop, "path/claude", counting("2.0.10", marks))
  expect(await installer.locate("claude")).toMatchObject({ version: "2.0.10" })
  expect(await count(marks)).toBe(2)
})

test("version commands are tried in order: --version, version, -V", async () => {
  await using shop = await openTestInstaller()
  const installer = shop.another({ env: envWith(join(shop.directory, "path")) })
  await put(shop, "path/codex", '#!/bin/sh\n[ "$1" = version ] && echo "codex 3.1.4-alpha.2" && exit 0\nexit 2\n')
  expect(await installer.locate("codex")).toMatchObject({ installed: true, version: "3.1.4-alpha.2" })
})

test("whoever needs the version of a slow program waits for it", async () => {
  await using shop = await openTestInstaller()
  const gate = join(shop.directory, "gate")
  const slow = `#!/bin/sh\nwhile [ ! -e ${gate} ]; do sleep 0.05; done\necho 2.0.0\n`
  const onPath = shop.another({ env: envWith(join(shop.directory, "path")), bounds: { versionListMs: 1 } })
  await put(shop, "path/claude", slow)
  const configured = shop.another({
    paths: { claude: await put(shop, "own/claude", slow) },
    bounds: { versionListMs: 1 },
  })
  const found = Promise.all([
    ...[onPath.install("claude"), onPath.ensure("claude", { version: "2.0.0" }), onPath.locate("claude", "2.0.0")],
    ...[configured.install("claude", { version: "2.0.0" }), configured.ensure("claude")],
  ])
  // Those that only list it do not.
  for (const installer of [onPath, configured])
    expect(await installer.locate("claude")).toMatchObject({ installed: true, version: undefined })
  await writeFile(gate, "")
  const at = (source: string) => ({ installed: true, version: "2.0.0", source })
  expect(await found).toMatchObject([at("path"), at("path"), at("path"), at("config"), at("config")])
})

test("whoever starts a program does not wait for its version; a script on PATH must show first that it runs", async () => {
  await using shop = await openTestInstaller()
  const gate = join(shop.directory, "gate")
  const path = await put(shop, "claude", `#!/bin/sh\nwhile [ ! -e ${gate} ]; do sleep 0.05; done\necho 2.0.0\n`)
  const env = envWith(join(shop.directory, "path"))
  const installer = shop.another({ env, paths: { claude: path }, bounds: { versionListMs: 60_000 } })
  const at = { installed: true, source: "config", command: [path] }
  expect(await installer.locate("claude", undefined, "skip")).toMatchObject({ ...at, version: undefined })
  await writeFile(gate, "")
  expect(await installer.locate("claude")).toMatchObject({ ...at, version: "2.0.0" })
  expect(await installer.locate("claude", undefined, "skip")).toMatchObject({ ...at, version: "2.0.0" })
  await put(shop, "path/codex", "#!/bin/sh\nexit 1\n")
  expect(await installer.locate("codex", undefined, "skip")).toMatchObject({ installed: false })
})

test("a program on PATH that does not run is not used, and says why", async () => {
  await using shop = await openTestInstaller()
  const installer = shop.another({ env: envWith("relative/folder", join(shop.directory, "path")) })
  const path = await put(shop, "path/claude", "#!/bin/sh\necho 'native binary not installed' >&2\nexit 1\n")
  const found = await installer.locate("claude")
  expect(found).toMatchObject({ installed: false, note: `${path} is not used: native binary not installed` })
})

test("a script for Node runs on our own executable where there is no Node", async () => {
  await using shop = await openTestInstaller()
  const folder = join(shop.directory, "path")
  await put(shop, "path/pi", '#!/usr/bin/env node\nconsole.log("0.9.1")\n')
  const installer = shop.another({ env: { PATH: folder } })
  const found = await installer.locate("pi")
  expect(found).toMatchObject({ installed: true, version: "0.9.1", env: { BUN_BE_BUN: "1" } })
  expect(found.command?.at(-1)).toBe(join(folder, "pi"))
})

test("unknown agents are told apart from failed installs", async () => {
  await using shop = await openTestInstaller()
  await expect(shop.installer.locate("nobody")).rejects.toMatchObject({ code: "unsupported_agent" })
  await expect(shop.installer.install("nobody")).rejects.toMatchObject({ code: "unsupported_agent" })
  await expect(shop.installer.install("pi", { version: "../x" })).rejects.toMatchObject({ code: "invalid_request" })
})

import { chmod, mkdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { openVendorServer, program } from "@sandbox-agent/test-agents/vendor-server"
import { expect, test } from "vitest"
import { entryOf } from "../../src/install/entry.ts"
import type { Platform } from "../../src/install/platform.ts"
import { notSupported } from "../../src/install/version.ts"
import { installTable } from "../../src/registry/installable.ts"
import { tarGz } from "./archives.ts"
import { failure, openTestInstaller } from "./test-installer.ts"

const platform: Platform = { os: "linux", arch: "x64", libc: "glibc" }
const sources = ["vendor"] as const
const at = "/github/anomalyco/opencode/releases"
const archive = (version: string) => tarGz([{ name: "opencode", content: program(version), mode: 0o755 }])
const assets = (...versions: string[]) =>
  Object.fromEntries(versions.map((v) => [`${at}/download/v${v}/opencode-linux-x64.tar.gz`, archive(v)]))

test("which versions are supported: by their numbers, not as text", () => {
  const entry = { ...entryOf(installTable, "opencode"), supported: { from: "1.2.0", below: "2.0.0" } }
  const refused = ["1.1.99", "0.9.0", "2.0.0", "2.0.0-beta.1", "10.0.0"]
  for (const version of refused) expect(notSupported(entry, version), version).toContain(`opencode ${version} is not`)
  for (const version of ["1.2.0", "1.10.0", "1.99.0-rc.1"]) expect(notSupported(entry, version)).toBeUndefined()
})

test("where the vendor's newest is one that cannot be driven, the tested one is installed", async () => {
  using server = openVendorServer({
    [`${at}/latest`]: () => Response.redirect(`${server.url}${at}/tag/v2.0.7`),
    ...assets("2.0.7", "1.18.18"),
  })
  await using shop = await openTestInstaller({ sources, mirrors: server.mirrors, platform })
  expect(await shop.installer.install("opencode")).toMatchObject({ version: "1.18.18", source: "managed" })
  expect(server.asked.filter((path) => path.includes("v2.0.7/"))).toEqual([])
})

test("one that is asked for by its version is refused before anything is asked of anybody", async () => {
  using server = openVendorServer(assets("2.0.7"))
  await using shop = await openTestInstaller({ sources, mirrors: server.mirrors, platform })
  const error = await failure(shop.installer.install("opencode", { version: "2.0.7" }))
  expect(error).toMatchObject({ code: "not_supported", detail: expect.stringContaining("below 2.0.0") })
  expect(server.asked).toEqual([])
})

test("one that is there, on PATH or managed, is told when it is looked for and replaced when one is installed", async () => {
  using server = openVendorServer({
    [`${at}/latest`]: () => Response.redirect(`${server.url}${at}/tag/v2.0.7`),
    ...assets("1.18.18"),
  })
  await using shop = await openTestInstaller({ sources, mirrors: server.mirrors, platform })
  const folder = join(shop.directory, "path")
  await mkdir(folder)
  await writeFile(join(folder, "opencode"), program("2.0.7"))
  await chmod(join(folder, "opencode"), 0o755)
  const installer = shop.another({ env: { ...process.env, PATH: `${folder}:/usr/bin:/bin` } })
  expect(await installer.locate("opencode")).toMatchObject({
    installed: true,
    source: "path",
    notSupported: { detail: expect.stringContaining("opencode 2.0.7 is not supported") },
  })
  // A daemon of before took the vendor's newest.
  const { supported: _, ...before } = entryOf(installTable, "opencode")
  const older = shop.another({ table: new Map([["opencode", before]]) })
  server.set(`${at}/download/v2.0.7/opencode-linux-x64.tar.gz`, archive("2.0.7"))
  expect(await older.install("opencode")).toMatchObject({ version: "2.0.7", source: "managed" })
  const managed = await installer.locate("opencode")
  expect(managed).toMatchObject({ version: "2.0.7", source: "managed", notSupported: {} })
  expect(managed.notSupported?.hint).toContain("in its place")
  expect(await installer.install("opencode")).toMatchObject({ version: "1.18.18", source: "managed" })
  expect((await installer.locate("opencode")).notSupported).toBeUndefined()
})

test("an Amp that its vendor calls the newest is not asked for; the one that can be driven is installed", async () => {
  const tested = "0.0.1777897475-g2324e1"
  using server = openVendorServer({
    "/amp/cli-version.txt": "0.0.1790142911-g7618fb\n",
    [`/amp/${tested}/amp-linux-x64`]: program(tested),
  })
  await using shop = await openTestInstaller({ sources, mirrors: server.mirrors, platform })
  const installed = await shop.installer.install("amp")
  expect(installed).toMatchObject({ version: tested, source: "managed" })
  expect(installed.notes?.join()).toContain("amp 0.0.1790142911-g7618fb is not supported")
  expect(server.asked.filter((path) => path.includes("1790142911"))).toEqual([])
})

import { readdir, readFile, stat, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { claudeRelease, openVendorServer, program, sha256 } from "@sandbox-agent/test-agents/vendor-server"
import { expect, test } from "vitest"
import type { Platform } from "../../src/install/platform.ts"
import { tarGz, zip } from "./archives.ts"
import { expectRefused } from "./refused.ts"
import { collect, failure, openTestInstaller } from "./test-installer.ts"

const linux: Platform = { os: "linux", arch: "x64", libc: "glibc" }
const mac: Platform = { os: "darwin", arch: "arm64" }
const sources = ["vendor"] as const

test("a raw binary with a manifest: progress, digest, record, current", async () => {
  const file = program("2.1.400", "(Claude Code)")
  using server = openVendorServer(claudeRelease("2.1.400", "linux-x64", file))
  await using shop = await openTestInstaller({ sources, mirrors: server.mirrors, platform: linux })
  const { seen, on, phases } = collect()
  const found = await shop.installer.install("claude", {}, on)
  const path = join(shop.bin, "claude", "2.1.400", "claude")
  expect(found).toMatchObject({ installed: true, version: "2.1.400", source: "managed", path, command: [path] })
  expect(phases()).toEqual(["resolve", "download", "verify", "check", "activate"])
  expect(seen).toContainEqual(expect.objectContaining({ phase: "download", bytes: file.length, total: file.length }))
  const lock = JSON.parse(await readFile(join(shop.bin, "agents.lock"), "utf8"))
  expect(lock.agents.claude).toMatchObject({ version: "2.1.400", source: "vendor", digest: `sha256-${sha256(file)}` })
  expect((await stat(path)).mode & 0o777).toBe(0o755)
})

test("musl gets the musl build", async () => {
  using server = openVendorServer(claudeRelease("2.1.400", "linux-arm64-musl", program("2.1.400")))
  await using shop = await openTestInstaller({
    sources,
    mirrors: server.mirrors,
    platform: { os: "linux", arch: "arm64", libc: "musl" },
  })
  expect((await shop.installer.install("claude")).installed).toBe(true)
})

test("codex as a package folder: tar.gz, list of digests, siblings stay", async () => {
  const archive = tarGz([
    { name: "bin/", type: "5" },
    { name: "bin/codex", content: program("codex-cli 0.170.0"), mode: 0o755 },
    { name: "codex-path/rg", content: program("rg"), mode: 0o755 },
  ])
  const at = "/github/openai/codex/releases"
  const asset = "codex-package-x86_64-unknown-linux-musl.tar.gz"
  using server = openVendorServer({
    [`${at}/latest`]: () => Response.redirect(`${server.url}${at}/tag/rust-v0.170.0`),
    [`${at}/download/rust-v0.170.0/${asset}`]: archive,
    [`${at}/download/rust-v0.170.0/codex-package_SHA256SUMS`]: `${sha256(archive)}  ${asset}\n${sha256("x")}  other\n`,
  })
  await using shop = await openTestInstaller({ sources, mirrors: server.mirrors, platform: linux })
  const found = await shop.installer.install("codex")
  expect(found).toMatchObject({ version: "0.170.0", path: join(shop.bin, "codex/0.170.0/bin/codex") })
  expect((await stat(join(shop.bin, "codex/0.170.0/codex-path/rg"))).mode & 0o111).toBe(0o111)
})

test("an older codex lies in the older layout; its digest comes from the API of the releases", async () => {
  const name = "codex-x86_64-unknown-linux-musl"
  const archive = tarGz([{ name, content: program("codex-cli 0.50.0") }])
  const assets = [{ name: `${name}.tar.gz`, digest: `sha256:${sha256(archive)}` }]
  using server = openVendorServer({
    [`/github/openai/codex/releases/download/rust-v0.50.0/${name}.tar.gz`]: archive,
    "/api/repos/openai/codex/releases/tags/rust-v0.50.0": JSON.stringify({ assets }),
  })
  await using shop = await openTestInstaller({ sources, mirrors: server.mirrors, platform: linux })
  const found = await shop.installer.install("codex", { version: "0.50.0" })
  expect(found.path).toBe(join(shop.bin, "codex/0.50.0", name))
  server.set(
    "/api/repos/openai/codex/releases/tags/rust-v0.50.0",
    JSON.stringify({ assets: [{ ...assets[0], digest: `sha256:${sha256("x")}` }] }),
  )
  const { detail } = await failure(shop.installer.install("codex", { version: "0.50.0", reinstall: true }))
  expect(detail).toContain("SHA-256")
})

test("opencode on a Mac comes as a zip; the API tells the version where the page does not", async () => {
  const archive = zip([{ name: "opencode", content: program("1.20.0"), mode: 0o100755 }])
  using server = openVendorServer({
    "/api/repos/anomalyco/opencode/releases/latest": JSON.stringify({ tag_name: "v1.20.0" }),
    "/github/anomalyco/opencode/releases/download/v1.20.0/opencode-darwin-arm64.zip": archive,
  })
  await using shop = await openTestInstaller({ sources, mirrors: server.mirrors, platform: mac })
  expect(await shop.installer.install("opencode")).toMatchObject({ installed: true, version: "1.20.0" })
})

test("amp with a digest file, pi as a folder", async () => {
  const [amp, pi] = [
    program("0.0.1780000000-gabc123 (released today)"),
    tarGz([{ name: "pi/pi", content: program("1.6.0"), mode: 0o755 }]),
  ]
  using server = openVendorServer({
    "/amp/cli-version.txt": "0.0.1780000000-gabc123\n",
    "/amp/0.0.1780000000-gabc123/amp-linux-x64": amp,
    "/amp/0.0.1780000000-gabc123/linux-x64-amp.sha256": sha256(amp),
    "/github/earendil-works/pi/releases/download/v1.6.0/pi-linux-x64.tar.gz": pi,
  })
  await using shop = await openTestInstaller({ sources, mirrors: server.mirrors, platform: linux })
  expect((await shop.installer.install("amp")).version).toBe("0.0.1780000000-gabc123")
  expect((await shop.installer.install("pi", { version: "v1.6.0" })).path).toMatch(/pi\/1\.6\.0\/pi\/pi$/)
})

const good = program("2.1.400")
const release = claudeRelease("2.1.400", "linux-x64", good)
const binary = "/claude/2.1.400/linux-x64/claude"
/** Bytes on a bare socket: what an HTTP server of a library would never send. */
function cutServer(): { url: string; [Symbol.dispose](): void } {
  const server = Bun.listen({
    hostname: "127.0.0.1",
    port: 0,
    socket: {
      data(socket) {
        socket.write(`HTTP/1.1 200 OK\r\ncontent-length: 1000000\r\n\r\n${good}`)
        socket.flush()
        setTimeout(() => socket.terminate(), 50)
      },
    },
  })
  return { url: `http://127.0.0.1:${server.port}/claude`, [Symbol.dispose]: () => void server.stop(true) }
}

test.each([
  ["a wrong digest", claudeRelease("2.1.400", "linux-x64", good, sha256("another")), /its SHA-256 is/],
  ["404", { ...release, [binary]: () => new Response("", { status: 404 }) }, /answered 404/],
  ["a server error", { ...release, [binary]: () => new Response("", { status: 503 }) }, /answered 503/],
  ["a web page instead", { ...release, [binary]: "<!DOCTYPE html><html>Please log in" }, /a web page came/],
  ["something that is no program", { ...release, [binary]: "hello" }, /is not a program/],
  ["an empty file", { ...release, [binary]: "" }, /is empty/],
  ["a program of another version", claudeRelease("2.1.400", "linux-x64", program("2.0.0")), /the program says 2\.0\.0/],
  [
    "a program that does not run",
    claudeRelease("2.1.400", "linux-x64", "#!/bin/sh\necho broken >&2\nexit 3\n"),
    /does not start: broken/,
  ],
  ["a version that is none", { "/claude/latest": "../../etc" }, /tells no version/],
  [
    "a manifest without this platform",
    { ...release, "/claude/2.1.400/manifest.json": '{"platforms":{}}' },
    /names no build/,
  ],
  ["a manifest that is not JSON", { ...release, "/claude/2.1.400/manifest.json": "oops" }, /is not JSON/],
])("refused: %s", (_name, paths, words) => expectRefused(paths, words))

test("a download that is cut in the middle is refused", async () => {
  using server = cutServer()
  await using shop = await openTestInstaller({ sources, mirrors: { claude: server.url }, platform: linux })
  const error = await failure(shop.installer.install("claude", { version: "2.1.400" }))
  expect(error.detail).toMatch(/cut off|cannot be reached/)
  expect(await readdir(join(shop.bin, "claude"))).toEqual([])
})

test("no build for the platform: the error lists what there is", async () => {
  await using shop = await openTestInstaller({ sources, platform: { os: "linux", arch: "arm64", libc: "musl" } })
  const { detail } = await failure(shop.installer.install("amp"))
  expect(detail).toContain("no build for linux-arm64-musl; there are builds for linux-x64, linux-arm64, darwin-x64")
})

test("the same version with other bytes is not taken over what is recorded", async () => {
  const at = "/amp/0.0.1780000000-gabc/amp-linux-x64"
  using server = openVendorServer({ [at]: program("0.0.1780000000-gabc") })
  await using shop = await openTestInstaller({ sources, mirrors: server.mirrors, platform: linux })
  await shop.installer.install("amp", { version: "0.0.1780000000-gabc" })
  server.set(at, program("0.0.1780000000-gabc", "evil"))
  const { detail } = await failure(shop.installer.install("amp", { version: "0.0.1780000000-gabc", reinstall: true }))
  expect(detail).toMatch(/now and was .* before/)
  expect((await shop.installer.locate("amp")).installed).toBe(true)
})

test("no credentials of an address in any message", async () => {
  using server = openVendorServer()
  const mirrors = { claude: server.url.replace("http://", "http://user:s3cret@") }
  await using shop = await openTestInstaller({ sources, mirrors, platform: linux })
  const error = await failure(shop.installer.install("claude", { version: "2.1.400" }))
  expect(JSON.stringify([error.detail, error.context, shop.log])).not.toContain("s3cret")
})

test("a folder that cannot be written in is a typed error, too", async () => {
  using server = openVendorServer(release)
  await using shop = await openTestInstaller({ sources, mirrors: server.mirrors, platform: linux })
  await writeFile(shop.bin, "a file in the place of the folder")
  const error = await failure(shop.installer.install("claude"))
  expect(error.code).toBe("install_failed")
})

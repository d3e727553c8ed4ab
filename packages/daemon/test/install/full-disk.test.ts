import { readdirSync, rmSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { claudeRelease, openVendorServer, program, sha256 } from "@sandbox-agent/test-agents/vendor-server"
import { expect, test } from "vitest"
import { disk, mountable, remountReadOnly } from "../harness/disk.ts"
import { tarGz } from "./archives.ts"
import { failure, openTestInstaller } from "./test-installer.ts"

const asset = "codex-package-x86_64-unknown-linux-musl.tar.gz"
const at = "/github/openai/codex/releases"
/** What the system gives room in. */
const page = 4096
const pages = 64

test.skipIf(!mountable)("a file of an archive that lacks its last byte for want of room is no install", async () => {
  const random = crypto.getRandomValues(new Uint8Array(4 * page))
  const packed = (content: Uint8Array) =>
    tarGz([
      { name: "bin/codex", content: program("codex-cli 0.170.0"), mode: 0o755 },
      { name: "codex-resources/random", content: random },
      { name: "codex-resources/zeros", content },
    ])
  // Beside the archive, which is gone afterwards, and the other two there is room for all of it but one byte.
  const room = pages - Math.ceil(packed(Buffer.alloc(0)).length / page) - 1 - random.length / page
  const content = Buffer.alloc(room * page + 1)
  const archive = packed(content)
  using server = openVendorServer({
    [`${at}/latest`]: () => Response.redirect(`${server.url}${at}/tag/rust-v0.170.0`),
    [`${at}/download/rust-v0.170.0/${asset}`]: archive,
    [`${at}/download/rust-v0.170.0/codex-package_SHA256SUMS`]: `${sha256(archive)}  ${asset}\n`,
  })
  expect(Math.ceil(archive.length / page)).toBe(Math.ceil(packed(Buffer.alloc(0)).length / page))
  const bin = join(disk(`${pages * page}`), "bin")
  await using shop = await openTestInstaller({
    sources: ["vendor"],
    mirrors: server.mirrors,
    platform: { os: "linux", arch: "x64", libc: "glibc" },
    directory: bin,
    env: { ...process.env, PATH: "" },
  })
  const refused = await failure(shop.installer.install("codex", { version: "0.170.0" }))
  expect([refused.code, refused.detail]).toEqual(["install_failed", expect.stringContaining("ENOSPC")])
  expect(refused.context.hint).toBe("Make room on the disk of the data directory.")
  expect((await shop.installer.locate("codex")).installed).toBe(false)
  expect(readdirSync(join(bin, "codex"))).toEqual([])

  const roomy = shop.another({ directory: shop.bin })
  await roomy.install("codex", { version: "0.170.0" })
  expect(statSync(join(shop.bin, "codex/0.170.0/codex-resources/zeros")).size).toBe(content.length)
  rmSync(bin, { recursive: true })
})

test.skipIf(!mountable)("what is installed can be made the current version on a full disk", async () => {
  const full = disk("64k")
  using server = openVendorServer(claudeRelease("2.1.400", "linux-x64", program("2.1.400")))
  await using shop = await openTestInstaller({
    sources: ["vendor"],
    mirrors: server.mirrors,
    platform: { os: "linux", arch: "x64", libc: "glibc" },
    directory: join(full, "bin"),
    env: { ...process.env, PATH: "" },
  })
  await shop.installer.install("claude")
  rmSync(join(full, "bin/.locks"), { recursive: true })
  expect(() => writeFileSync(join(full, "ballast"), Buffer.alloc(64 * 1024))).toThrow(/ENOSPC/)
  expect(await shop.installer.install("claude", { version: "2.1.400" })).toMatchObject({ version: "2.1.400" })
})

test.skipIf(!mountable)("a disk that cannot be written is said to be what is in the way, and no mirror", async () => {
  const full = disk("64k")
  remountReadOnly(full)
  await using shop = await openTestInstaller({ sources: ["vendor"], directory: join(full, "bin") })
  const refused = await failure(shop.installer.install("claude"))
  expect(refused).toMatchObject({
    code: "install_failed",
    context: { hint: "Choose a --data-dir that can be written." },
  })
})

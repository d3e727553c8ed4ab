import { join } from "node:path"
import { claudeRelease, openVendorServer, program } from "@sandbox-agent/test-agents/vendor-server"
import { expect } from "vitest"
import type { Platform } from "../../src/install/platform.ts"
import { holdLock } from "../../src/install/process-lock.ts"
import { ProgressFan } from "../../src/install/progress.ts"
import { overfill } from "./overfill.ts"
import { openRegistry, toolTable } from "./registry.ts"
import { failure, openTestInstaller } from "./test-installer.ts"

const platform: Platform = { os: "linux", arch: "x64", libc: "glibc" }
const sources = ["vendor"] as const
const release = claudeRelease("2.1.400", "linux-x64", program("2.1.400"))
const binary = "/claude/2.1.400/linux-x64/claude"

overfill(["metadataBytes"], "a manifest without end is refused", async () => {
  using server = openVendorServer({ ...release, "/claude/2.1.400/manifest.json": " ".repeat(2000) })
  await using shop = await openTestInstaller({
    sources,
    mirrors: server.mirrors,
    platform,
    bounds: { metadataBytes: 1000 },
  })
  expect((await failure(shop.installer.install("claude", { version: "2.1.400" }))).detail).toContain(
    "larger than the 1000 bytes",
  )
})

overfill(["downloadMs"], "a download that drips on is ended", async () => {
  const drip = () =>
    new Response(
      new ReadableStream({
        async pull(stream) {
          await Bun.sleep(20)
          stream.enqueue(new Uint8Array(1))
        },
      }),
    )
  using server = openVendorServer({ ...release, [binary]: drip })
  await using shop = await openTestInstaller({
    sources,
    mirrors: server.mirrors,
    platform,
    bounds: { downloadMs: 300 },
  })
  expect((await failure(shop.installer.install("claude", { version: "2.1.400" }))).detail).toContain("took too long")
})

overfill(["npmResolveMs"], "a registry that does not answer is given up", async () => {
  using registry = openRegistry({ silent: true })
  const env = { PATH: "/usr/bin:/bin", npm_config_registry: registry.url }
  await using shop = await openTestInstaller({ table: toolTable, env, bounds: { npmResolveMs: 1_000 } })
  const { context, detail } = await failure(shop.installer.install("tool"))
  expect(context.tried).toEqual([expect.objectContaining({ kind: "timeout" })])
  expect(detail).toContain("no source could be reached")
})

overfill(["npmInstallMs"], "a package manager that hangs is ended by its deadline", async () => {
  using registry = openRegistry({ hang: true })
  const env = { PATH: "/usr/bin:/bin", npm_config_registry: registry.url }
  await using shop = await openTestInstaller({ table: toolTable, env, bounds: { npmInstallMs: 1_500 } })
  const { context } = await failure(shop.installer.install("tool", { version: "1.2.3" }))
  expect(context.tried).toEqual([expect.objectContaining({ kind: "timeout" })])
})

overfill(["versionMs"], "a new program that hangs when asked for its version is not taken", async () => {
  const hanging = "#!/bin/sh\nwhile :; do sleep 0.1; done\n"
  using server = openVendorServer(claudeRelease("2.1.400", "linux-x64", hanging))
  await using shop = await openTestInstaller({ sources, mirrors: server.mirrors, platform, bounds: { versionMs: 300 } })
  expect((await failure(shop.installer.install("claude"))).detail).toContain("does not tell its version in time")
})

overfill(["lockMs", "lockRetryMs"], "another process that never ends is not waited for without end", async () => {
  using server = openVendorServer(release)
  await using shop = await openTestInstaller({
    sources,
    mirrors: server.mirrors,
    platform,
    bounds: { lockMs: 300, lockRetryMs: 20 },
  })
  const release_ = await holdLock(join(shop.bin, ".locks", "claude.db"), { timeoutMs: 0, retryMs: 1 })
  expect((await failure(shop.installer.install("claude"))).detail).toContain("another process has been installing")
  release_()
  expect(await shop.installer.install("claude")).toMatchObject({ installed: true })
})

overfill(["progressMs"], "numbers come no faster than that; a new phase and the end come at once", () => {
  const fan = new ProgressFan(60_000)
  const seen: string[] = []
  fan.join(({ phase, bytes }) => seen.push(`${phase} ${bytes}`))
  fan.join(() => {
    throw new Error("a stream that is closed")
  })
  for (let bytes = 0; bytes <= 100; bytes++) fan.report({ phase: "download", bytes, total: 100 })
  fan.report({ phase: "check", bytes: 0 })
  expect(seen).toEqual(["download 0", "download 100", "check 0"])
})

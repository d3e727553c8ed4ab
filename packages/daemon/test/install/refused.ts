import { readdir } from "node:fs/promises"
import { join } from "node:path"
import type { InstallLimits } from "@sandbox-agent/schema/install-limits"
import { type Answer, openVendorServer } from "@sandbox-agent/test-agents/vendor-server"
import { expect } from "vitest"
import { failure, openTestInstaller } from "./test-installer.ts"

/** An install from a vendor that answers so fails with these words, and leaves nothing. */
export async function expectRefused(paths: Record<string, Answer>, words: RegExp, bounds: Partial<InstallLimits> = {}) {
  using server = openVendorServer(paths)
  const platform = { os: "linux", arch: "x64", libc: "glibc" } as const
  await using shop = await openTestInstaller({ sources: ["vendor"], mirrors: server.mirrors, platform, bounds })
  const error = await failure(
    shop.installer.install(
      "claude",
      "/claude/latest" in paths && paths["/claude/latest"] !== "2.1.400" ? {} : { version: "2.1.400" },
    ),
  )
  expect(error.code).toBe("install_failed")
  expect(error.detail).toMatch(words)
  // Nothing that counts, and nothing left over.
  expect(await shop.installer.locate("claude")).toMatchObject({ installed: false })
  expect(await readdir(join(shop.bin, "claude")).catch(() => [])).toEqual([])
}

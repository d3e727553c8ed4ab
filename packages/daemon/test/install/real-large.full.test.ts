import { describe, expect, test } from "vitest"
import { detectPlatform, platformName } from "../../src/install/platform.ts"
import { cacheDirectory, compiled, offline } from "./real.ts"
import { openTestInstaller } from "./test-installer.ts"

/** Versions that every platform of the registry has. */
const versions: [string, string][] = [
  ["claude", "2.1.325"],
  ["opencode", "1.18.18"],
  ["amp", "0.0.1777897475-g2324e1"],
  ["codex-acp", "2.6.0"],
]

describe.skipIf(offline)("real packages of the registry, the others", () => {
  test.each(versions)(
    "%s %s",
    async (agent, version) => {
      await using shop = await openTestInstaller({ bun: compiled(), cacheDirectory, sources: ["npm"] })
      const { command = [], env, ...found } = await shop.installer.install(agent, { version })
      expect(found).toMatchObject({ installed: true, version, source: "managed" })
      const ran = Bun.spawnSync([...command, "--version"], {
        env: { PATH: "/nonexistent", HOME: shop.directory, ...env },
      })
      expect(ran.stdout.toString()).toContain(version)
    },
    300_000,
  )

  test("the newest of an agent is found by the registry's word", async () => {
    await using shop = await openTestInstaller({ bun: compiled(), cacheDirectory, sources: ["npm"] })
    const found = await shop.installer.install("codex-acp")
    expect(found, platformName(detectPlatform())).toMatchObject({
      installed: true,
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
    })
  }, 300_000)
})

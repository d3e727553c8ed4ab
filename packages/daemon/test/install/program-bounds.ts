import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import type { InstallLimits } from "@sandbox-agent/schema/install-limits"
import { claudeRelease, openVendorServer } from "@sandbox-agent/test-agents/vendor-server"
import { expect } from "vitest"
import { LazyInstaller, programsOf } from "../../src/install/programs.ts"
import { overfill } from "./overfill.ts"
import { envWith, put } from "./programs.ts"
import { openRegistry, toolTable } from "./registry.ts"
import { bunProgram, failure, openTestInstaller } from "./test-installer.ts"

overfill(["versionListMs"], "a slow program does not hold a list; its version is there later", async () => {
  await using shop = await openTestInstaller()
  const gate = join(shop.directory, "gate")
  const installer = shop.another({ env: envWith(join(shop.directory, "path")), bounds: { versionListMs: 100 } })
  await put(shop, "path/claude", `#!/bin/sh\nwhile [ ! -e ${gate} ]; do sleep 0.05; done\necho 2.0.0\n`)
  expect(await installer.locate("claude")).toMatchObject({ installed: true, version: undefined, source: "path" })
  await writeFile(gate, "")
  await expect.poll(async () => (await installer.locate("claude")).version).toBe("2.0.0")
})

overfill(
  ["lookedMs"],
  "where a program was is looked up again: one that stands before it by now is taken",
  async () => {
    await using shop = await openTestInstaller()
    const [before, after] = ["before", "after"].map((name) => join(shop.directory, name)) as [string, string]
    const lazy = new LazyInstaller({
      directory: shop.bin,
      self: [bunProgram],
      supervisor: shop.supervisor,
      log: () => {},
      env: envWith(before, after),
    })
    const programs = programsOf(lazy, "claude")
    const text = "#!/bin/sh\necho 2.0.0\n"
    const first = await put(shop, "after/claude", text)
    expect((await programs.locate(undefined, "skip")).path).toBe(first)
    const second = await put(shop, "before/claude", text)
    await expect.poll(async () => (await programs.locate(undefined, "skip")).path).toBe(second)
    await lazy.close()
  },
)

/** How often a program that talks without end, to one of its outputs, is repeated in the failure of its install. */
async function repeated(output: 1 | 2, bounds: Partial<InstallLimits>): Promise<number> {
  const talking = `#!/bin/sh\ni=0; while [ $i -lt 3000 ]; do i=$((i+1)); echo wordswordswords >&${output}; done\nexit 1\n`
  using server = openVendorServer(claudeRelease("2.1.400", "linux-x64", talking))
  const platform = { os: "linux", arch: "x64", libc: "glibc" } as const
  await using shop = await openTestInstaller({ sources: ["vendor"], mirrors: server.mirrors, platform, bounds })
  const { detail } = await failure(shop.installer.install("claude", { version: "2.1.400" }))
  return detail.split("wordswordswords").length - 1
}

overfill(["versionOutputLines"], "a program that talks without end is not kept whole", async () => {
  expect(await repeated(1, { versionOutputLines: 7, failureChars: 100_000 })).toBe(7)
})

overfill(["failureChars"], "of what it says of its failure, the beginning is repeated", async () => {
  expect(await repeated(2, { failureChars: 5 * "wordswordswords\n".length })).toBe(5)
})

overfill(["failureLines"], "of many errors of the package manager the first are repeated", async () => {
  using registry = openRegistry({ newest: "2.0.0", missing: 10 })
  const env = { PATH: "/usr/bin:/bin", npm_config_registry: registry.url }
  await using shop = await openTestInstaller({
    table: toolTable,
    env,
    bounds: { failureLines: 3, failureChars: 100_000 },
  })
  const { detail } = await failure(shop.installer.install("tool", { version: "2.0.0" }))
  expect(detail.match(/sa-missing-\d/g)).toHaveLength(3)
})

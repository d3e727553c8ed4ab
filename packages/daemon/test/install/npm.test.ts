import { mkdir, readdir, readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { expect, test } from "vitest"
import { detectPlatform, platformName } from "../../src/install/platform.ts"
import { typedProgram } from "../../src/install/programs.ts"
import { openRegistry, toolEntry, toolTable } from "./registry.ts"
import { collect, failure, openTestInstaller } from "./test-installer.ts"

const base = { PATH: "/usr/bin:/bin", HOME: "/nonexistent" }

test("a package from the registry that the environment names", async () => {
  using registry = openRegistry()
  await using shop = await openTestInstaller({ table: toolTable, env: { ...base, npm_config_registry: registry.url } })
  const { on, phases } = collect()
  const found = await shop.installer.install("tool", {}, on)
  expect(found).toMatchObject({ version: "1.2.3", source: "managed", env: { BUN_BE_BUN: "1" } })
  expect(phases()).toEqual(["resolve", "download", "check", "activate"])
  const { agents } = JSON.parse(await readFile(join(shop.bin, "agents.lock"), "utf8"))
  expect(agents.tool).toMatchObject({
    source: "npm",
    origin: "sa-test-tool@1.2.3",
    digest: expect.stringMatching(/^sha512-/),
  })
  // People start it by a file, whatever is in their environment.
  const { launcher = "" } = await shop.installer.locate("tool")
  expect(launcher).toBe(join(shop.bin, "tool", "start-tool"))
  const typed = Bun.spawnSync(["sh", "-c", `${typedProgram(found)} --version`], { env: {} })
  expect([typed.stdout.toString(), typed.stderr.toString()]).toEqual(["1.2.3\n", ""])
  // The package manager's cache is gone with the install.
  const before = registry.tarballs()
  await shop.installer.install("tool", { reinstall: true })
  expect(registry.tarballs()).toBe(before + 1)
})

test("an agent that is called as the list of what is installed does not wait for itself", async () => {
  using registry = openRegistry()
  const table = new Map([["agents", { ...toolEntry, agent: "agents" }]])
  const env = { ...base, npm_config_registry: registry.url }
  await using shop = await openTestInstaller({ table, env, bounds: { lockMs: 1_000 } })
  expect(await shop.installer.install("agents")).toMatchObject({ installed: true, version: "1.2.3" })
})

test("bytes are told while a package comes, and all of them at the end", async () => {
  const bytes = 8 * 1024 * 1024
  const half = Promise.withResolvers<void>()
  using registry = openRegistry({ large: { bytes, half: half.promise } })
  await using shop = await openTestInstaller({ table: toolTable, env: { ...base, npm_config_registry: registry.url } })
  const reported: number[] = []
  await shop.installer.install("tool", {}, ({ phase, bytes: now }) => {
    if (phase !== "download") return
    reported.push(now)
    // The registry goes on when the first part was told.
    if (now > bytes / 8) half.resolve()
  })
  expect(reported[0]).toBe(0)
  expect(reported).toEqual(reported.toSorted((a, b) => a - b))
  expect(reported.some((now) => now > bytes / 8 && now < bytes)).toBe(true)
  expect(reported.at(-1)).toBeGreaterThan(bytes)
  expect(await readdir(join(shop.bin, "tool", "1.2.3"))).not.toContain(".unpacked")
})

test("how large a program is that comes whole is told while it comes", async () => {
  const bytes = 8 * 1024 * 1024
  const told = Promise.withResolvers<void>()
  using registry = openRegistry({ large: { bytes, half: told.promise }, unpackedSize: bytes })
  const builds = { [platformName(detectPlatform())]: { name: "sa-test-tool", path: "cli.js" } }
  const entry = { ...toolEntry, npm: [{ runtime: "bun" as const, builds }] }
  await using shop = await openTestInstaller({
    table: new Map([[entry.agent, entry]]),
    env: { ...base, npm_config_registry: registry.url },
  })
  const beyond: number[] = []
  await shop.installer.install("tool", {}, ({ phase, bytes: now, total }) => {
    if (phase !== "download" || total === undefined) return
    expect(total).toBe(bytes)
    if (now > total) beyond.push(now)
    told.resolve()
  })
  expect(beyond).toEqual([])
})

/** `npm test` hands its own settings down, and they would win over the npmrc of a test. */
for (const name of Object.keys(process.env)) if (/^npm_config_/i.test(name)) delete process.env[name]

test("the user's npmrc counts: registry, and a token from a variable it names", async () => {
  using registry = openRegistry()
  await using shop = await openTestInstaller({ table: toolTable })
  const home = join(shop.directory, "home")
  await mkdir(home)
  const host = new URL(registry.url).host
  await writeFile(join(home, ".npmrc"), `registry=${registry.url}\n//${host}/:_authToken=\${MY_TOKEN}\n`)
  const env = { PATH: "/usr/bin:/bin", HOME: home, MY_TOKEN: "npm_t0ken", SANDBOX_AGENT_TOKEN: "ours" }
  const installer = shop.another({ env })
  expect(await installer.install("tool")).toMatchObject({ version: "1.2.3" })
  expect(new Set(registry.asked.map(({ authorization }) => authorization))).toEqual(new Set(["Bearer npm_t0ken"]))
})

test("a package whose bytes are not what the registry promised is refused", async () => {
  using registry = openRegistry({ integrity: `sha512-${Buffer.alloc(64).toString("base64")}` })
  await using shop = await openTestInstaller({ table: toolTable, env: { ...base, npm_config_registry: registry.url } })
  const { code, context } = await failure(shop.installer.install("tool", { version: "1.2.3" }))
  expect(code).toBe("install_failed")
  expect(context.tried).toEqual([expect.objectContaining({ source: "npm", kind: "integrity" })])
  expect(await shop.installer.locate("tool")).toMatchObject({ installed: false })
})

test("a version that is not there", async () => {
  using registry = openRegistry()
  await using shop = await openTestInstaller({ table: toolTable, env: { ...base, npm_config_registry: registry.url } })
  const { detail, context } = await failure(shop.installer.install("tool", { version: "7.7.7" }))
  expect(detail).toContain("7.7.7")
  expect(context.tried).toEqual([expect.objectContaining({ kind: "missing" })])
})

test("when the newest cannot be had, as on a partial mirror, the tested version is taken", async () => {
  using registry = openRegistry({ version: "1.0.0", newest: "2.0.0" })
  await using shop = await openTestInstaller({ table: toolTable, env: { ...base, npm_config_registry: registry.url } })
  expect(await shop.installer.install("tool")).toMatchObject({ version: "1.0.0" })
  expect(shop.log.join()).toContain("sa-test-tool 2.0.0")
  // Only for "the newest": who names a version gets that one or nothing.
  const { context } = await failure(shop.installer.install("tool", { version: "2.0.0" }))
  expect(context.tried).toEqual([expect.objectContaining({ kind: "missing" })])
})

test("offline: the error names every source that was tried and how to set a mirror", async () => {
  const env = { ...base, npm_config_registry: "http://bob:s3cret@127.0.0.1:9/" }
  const mirrors = { github: "http://127.0.0.1:9/gh", githubApi: "http://127.0.0.1:9/api" }
  await using shop = await openTestInstaller({ env, mirrors })
  const { code, detail, context } = await failure(shop.installer.install("codex"))
  expect(code).toBe("install_failed")
  expect(detail).toMatch(
    /no source could be reached\. Tried:\n- npm @openai\/codex newest: .*\n- vendor http:\/\/127\.0\.0\.1:9\/gh newest: .*$/,
  )
  expect(context.hint).toMatch(/npm_config_registry, SANDBOX_AGENT_MIRROR_GITHUB\), or put `codex` on PATH/)
  expect(JSON.stringify([detail, context, shop.log])).not.toContain("s3cret")
})

import { existsSync, readdirSync } from "node:fs"
import { readdir } from "node:fs/promises"
import { join } from "node:path"
import { claudeRelease, openVendorServer, program } from "@sandbox-agent/test-agents/vendor-server"
import { expect, test } from "vitest"
import type { Platform } from "../../src/install/platform.ts"
import { openRegistry, toolTable } from "./registry.ts"
import { bunProgram, collect, openTestInstaller } from "./test-installer.ts"

const platform: Platform = { os: "linux", arch: "x64", libc: "glibc" }
const sources = ["vendor"] as const
const binary = "/claude/2.1.400/linux-x64/claude"
const file = program("2.1.400")

/** Sends the first bytes, then the rest when told. */
function held(bytes: string): { answer: () => Response; started: Promise<void>; go(): void } {
  const [started, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const answer = () =>
    new Response(
      new ReadableStream({
        async start(stream) {
          stream.enqueue(Buffer.from(bytes.slice(0, 12)))
          started.resolve()
          await gate.promise
          stream.enqueue(Buffer.from(bytes.slice(12)))
          stream.close()
        },
      }),
    )
  return { answer, started: started.promise, go: () => gate.resolve() }
}

/** The package manager is found by the folder of its cache. */
const environments = () => readdirSync("/proc").flatMap((name) => (/^\d+$/.test(name) ? [`/proc/${name}/environ`] : []))

function second(options: object) {
  const command = [bunProgram, join(import.meta.dirname, "second.ts"), JSON.stringify(options)]
  const child = Bun.spawn(command, { env: process.env, stdout: "pipe", stderr: "inherit", stdin: "ignore" })
  return { child, text: () => new Response(child.stdout).text() }
}

test("two installs at once in one daemon do the work once; both hear the progress", async () => {
  const { answer, started, go } = held(file)
  using server = openVendorServer({ ...claudeRelease("2.1.400", "linux-x64", file), [binary]: answer })
  await using shop = await openTestInstaller({ sources, mirrors: server.mirrors, platform })
  const [one, two] = [collect(), collect()]
  const first = shop.installer.install("claude", {}, one.on)
  await started
  const again = shop.installer.install("claude", {}, two.on)
  go()
  expect(await again).toEqual(await first)
  expect(server.asked.filter((path) => path === binary)).toHaveLength(1)
  expect(two.phases()).toEqual(["download", "verify", "check", "activate"])
})

test("two installers on one folder, also with reinstall: the work is done once", async () => {
  const { answer, started, go } = held(file)
  using server = openVendorServer({ ...claudeRelease("2.1.400", "linux-x64", file), [binary]: answer })
  await using shop = await openTestInstaller({ sources, mirrors: server.mirrors, platform })
  const waiting = Promise.withResolvers<void>()
  const first = shop.installer.install("claude", { reinstall: true })
  await started
  const again = shop
    .another()
    .install("claude", { reinstall: true }, ({ phase }) => phase === "wait" && waiting.resolve())
  await waiting.promise
  go()
  await Promise.all([first, again])
  expect(server.asked.filter((path) => path === binary)).toHaveLength(1)
})

test("two processes do the work once", async () => {
  const { answer, started, go } = held(file)
  using server = openVendorServer({ ...claudeRelease("2.1.400", "linux-x64", file), [binary]: answer })
  await using shop = await openTestInstaller({ sources, mirrors: server.mirrors, platform })
  const first = shop.installer.install("claude")
  await started
  const other = second({ directory: shop.bin, agent: "claude", sources, mirrors: server.mirrors, platform, env: {} })
  const reader = other.child.stdout.getReader()
  let said = ""
  while (!said.includes("wait")) said += new TextDecoder().decode((await reader.read()).value)
  go()
  await first
  for (let next = await reader.read(); !next.done; next = await reader.read())
    said += new TextDecoder().decode(next.value)
  expect(said).toContain("done 2.1.400")
  expect(said).not.toContain("download")
  expect(server.asked.filter((path) => path === binary)).toHaveLength(1)
})

test("kill -9 in the middle of a download leaves nothing that counts, and no lock", async () => {
  const { answer, started } = held(file)
  using server = openVendorServer({ ...claudeRelease("2.1.400", "linux-x64", file), [binary]: answer })
  await using shop = await openTestInstaller({ sources, mirrors: server.mirrors, platform })
  const { child } = second({
    directory: shop.bin,
    agent: "claude",
    sources,
    mirrors: server.mirrors,
    platform,
    env: {},
  })
  await started
  const left = () => readdir(join(shop.bin, "claude"))
  await expect.poll(async () => (await left()).length).toBe(1)
  child.kill("SIGKILL")
  await child.exited
  expect(await shop.installer.locate("claude")).toMatchObject({ installed: false })
  server.set(binary, file)
  expect(await shop.installer.install("claude")).toMatchObject({ installed: true, version: "2.1.400" })
  expect((await left()).sort()).toEqual(["2.1.400", "current"])
})

test("kill -9 while the package manager works: it dies, too, and nothing counts", async () => {
  using stuck = openRegistry({ hang: true })
  await using shop = await openTestInstaller({ table: toolTable })
  const env = { ...process.env, npm_config_registry: stuck.url }
  const { child } = second({ directory: shop.bin, agent: "tool", env })
  await expect.poll(() => stuck.tarballs()).toBe(1)
  const [staging] = (await readdir(join(shop.bin, "tool"))).filter((name) => name.startsWith(".staging-"))
  expect(staging).toBeDefined()
  const running = () =>
    Bun.spawnSync(["grep", "-las", `${shop.bin}/tool/.staging`, ...environments()]).stdout.toString()
  expect(running()).not.toBe("")
  child.kill("SIGKILL")
  await child.exited
  await expect.poll(running).toBe("")
  expect(await shop.installer.locate("tool")).toMatchObject({ installed: false })
  using registry = openRegistry()
  const installer = shop.another({ env: { ...process.env, npm_config_registry: registry.url } })
  expect(await installer.install("tool")).toMatchObject({ version: "1.2.3" })
  expect(existsSync(join(shop.bin, "tool", staging ?? ""))).toBe(false)
})

test("closing ends what is under way, and nothing of it counts", async () => {
  const { answer, started } = held(file)
  using server = openVendorServer({ ...claudeRelease("2.1.400", "linux-x64", file), [binary]: answer })
  await using shop = await openTestInstaller({ sources, mirrors: server.mirrors, platform })
  const running = shop.installer.install("claude")
  await started
  shop.installer.close()
  await expect(running).rejects.toMatchObject({ code: "unavailable" })
  expect(await readdir(join(shop.bin, "claude"))).toEqual([])
})

test("the newest is taken when there is a newer one; the one before is kept, older ones go, one in use stays", async () => {
  using server = openVendorServer()
  await using shop = await openTestInstaller({ sources, mirrors: server.mirrors, platform })
  const release = (version: string, text = program(version)) => {
    for (const [path, answer] of Object.entries(claudeRelease(version, "linux-x64", text))) server.set(path, answer)
  }
  const folders = async () => (await readdir(join(shop.bin, "claude"))).filter((name) => name !== "current").sort()
  // A program that can be kept running.
  const lasting = '#!/bin/sh\n[ "$1" = --version ] && echo 2.0.1 && exit 0\nwhile :; do sleep 0.1; done\n'
  release("2.0.1", lasting)
  const { path = "" } = await shop.installer.install("claude")
  const child = Bun.spawn([path], { stdio: ["ignore", "ignore", "ignore"] })
  try {
    for (const version of ["2.0.2", "2.0.3", "2.0.4"]) {
      release(version)
      expect(await shop.installer.install("claude")).toMatchObject({ version })
    }
    expect(await folders()).toEqual(["2.0.1", "2.0.3", "2.0.4"])
  } finally {
    child.kill("SIGKILL")
    await child.exited
  }
  release("2.0.5")
  await shop.installer.install("claude")
  expect(await folders()).toEqual(["2.0.4", "2.0.5"])
  // The same again: nothing is downloaded; with reinstall it is, beside the one that may be running.
  const asked = () => server.asked.filter((path) => path.endsWith("/claude")).length
  const before = asked()
  await shop.installer.install("claude")
  expect(asked()).toBe(before)
  const again = await shop.installer.install("claude", { reinstall: true })
  expect(asked()).toBe(before + 1)
  expect(again.path).toBe(join(shop.bin, "claude", "2.0.5~2", "claude"))
  expect(await folders()).toEqual(["2.0.4", "2.0.5~2"])
})

test("offline with an older version at hand, that one stays in use", async () => {
  const paths = claudeRelease("2.0.1", "linux-x64", program("2.0.1"))
  const server = openVendorServer(paths)
  await using shop = await openTestInstaller({ sources, mirrors: server.mirrors, platform })
  await shop.installer.install("claude")
  server[Symbol.dispose]()
  expect(await shop.installer.install("claude")).toMatchObject({ installed: true, version: "2.0.1" })
  await expect(shop.installer.install("claude", { reinstall: true })).rejects.toMatchObject({ code: "install_failed" })
  expect(await shop.installer.locate("claude")).toMatchObject({ version: "2.0.1" })
})

import { appendFileSync, mkdirSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs"
import { rm } from "node:fs/promises"
import { join } from "node:path"
import { limits } from "@sandbox-agent/schema/limits"
import { expect, onTestFinished, test } from "vitest"
import { asLaunched } from "../../src/core/mcp-entries.ts"
import { McpStderr } from "../../src/core/mcp-stderr.ts"
import { Confinement } from "../../src/files/confinement.ts"
import { scratch } from "../harness/daemon.ts"
import { overfill } from "./overfill.ts"

const mcp = { one: { command: "sh", args: ["-c", 'echo "$PWD" "$@"; echo no >&2', "sh", "a b"] } }

function homeOf() {
  const home = scratch()
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  const remove = (folder: string) => rm(folder, { recursive: true, force: true })
  return { home, remove, asAgent: <T>(work: () => T) => work(), reach: new Confinement([], []) }
}

function launched(entry: object | undefined): string {
  const { command, args } = entry as { command: string; args: string[] }
  return Bun.spawnSync([command, ...args], { cwd: "/" }).stdout.toString()
}

overfill(
  ["mcpStderrBytes", "mcpStderrShownBytes"],
  "a server that says much fills no disk, and its last words are shown",
  async () => {
    const stderr = await McpStderr.open(mcp, "/", homeOf())
    const path = stderr.pathOf("one") ?? ""
    expect(await stderr.tail("one")).toBe("")
    writeFileSync(path, "x".repeat(limits.mcpStderrShownBytes))
    appendFileSync(path, "the end\n")
    expect(await stderr.tail("one")).toHaveLength(limits.mcpStderrShownBytes - 1)
    expect((await stderr.tail("one")).endsWith("xthe end")).toBe(true)
    await stderr.bound()
    expect(statSync(path).size).toBeGreaterThan(limits.mcpStderrShownBytes)
    appendFileSync(path, Buffer.alloc(limits.mcpStderrBytes))
    await stderr.bound()
    expect(statSync(path).size).toBe(0)
    appendFileSync(path, "after it")
    expect(await stderr.tail("one")).toBe("after it")
  },
)

test("of a server that was there before only what it says from now on is shown; of an earlier daemon nothing is left", async () => {
  const place = homeOf()
  mkdirSync(join(place.home, "mcp-stderr"))
  writeFileSync(join(place.home, "mcp-stderr", "old"), "old")
  const first = await McpStderr.open(mcp, "/", place)
  expect(() => statSync(join(place.home, "mcp-stderr", "old"))).toThrow()
  expect(launched(asLaunched(mcp, "/", first)?.one)).toBe("/ a b\n")
  expect(await first.tail("one")).toBe("no")
  const second = await McpStderr.open(mcp, "/", place)
  expect(second.pathOf("one")).toBe(first.pathOf("one"))
  expect(await second.tail("one")).toBe("")
  expect((await McpStderr.open(mcp, "/tmp", place)).pathOf("one")).not.toBe(first.pathOf("one"))
})

test("a link in its place is not written through, and keeps no server from starting where it should", async () => {
  const place = homeOf()
  const stderr = await McpStderr.open({ one: { ...mcp.one, cwd: "/tmp" } }, "/", place)
  const kept = join(place.home, "kept")
  writeFileSync(kept, Buffer.alloc(limits.mcpStderrBytes + 1))
  symlinkSync(kept, stderr.pathOf("one") ?? "")
  await stderr.bound()
  expect(statSync(kept).size).toBe(limits.mcpStderrBytes + 1)
  rmSync(join(place.home, "mcp-stderr"), { recursive: true })
  expect(launched(asLaunched({ one: { ...mcp.one, cwd: "tmp" } }, "/", stderr)?.one)).toBe("/tmp a b\n")
})

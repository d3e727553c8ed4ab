import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { RegistryEntrySchema } from "@sandbox-agent/schema/registry-schemas"
import { afterAll, expect, test } from "vitest"
import { nativeAgents } from "../../src/drivers/table.ts"
import { namedPaths, registryEntries } from "../../src/registry/agent-registry.ts"
import { builtinEntries } from "../../src/registry/builtin.ts"
import { installEntryOf, packageOf } from "../../src/registry/install-entry.ts"
import { addEntry, addedFile, readRegistryFile, removeEntry } from "../../src/registry/registry-file.ts"
import { disk, mountable } from "../harness/disk.ts"
import { bunProgram } from "../install/test-installer.ts"

const folder = mkdtempSync(join(tmpdir(), "sandbox-agent-registry-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const entry = (id: string, name = id) => ({ id, name, distribution: { npx: { package: `${id}-acp@1.2.3` } } })

test("every built-in entry is one of the registry's format, with an id of its own", () => {
  for (const one of builtinEntries) expect(RegistryEntrySchema.safeParse(one).error, one.id).toBeUndefined()
  const ids = builtinEntries.map(({ id }) => id)
  expect(new Set(ids).size).toBe(ids.length)
  for (const { id } of nativeAgents) expect(ids).not.toContain(id)
})

test("packages, builds and commands are found by the installer", () => {
  expect(packageOf("@scope/name@1.2.3")).toEqual({ name: "@scope/name", version: "1.2.3" })
  expect(packageOf("name")).toEqual({ name: "name" })
  expect(installEntryOf(entry("x"))).toMatchObject({
    agent: "x",
    tested: "1.2.3",
    npm: [{ script: { name: "x-acp" } }],
  })
  const builds = {
    "linux-x86_64": { archive: "https://example.com/x.tar.gz", cmd: "./x", args: ["acp"] },
    "darwin-aarch64": { archive: "https://example.com/x.tar.bz2", cmd: "./x" },
  }
  const built = installEntryOf({ id: "x", name: "X", version: "2.0.0", distribution: { binary: builds } })
  // What we cannot unpack is no build.
  expect(built.vendor).toMatchObject({
    latest: { kind: "fixed", version: "2.0.0" },
    layouts: [{ platforms: { "linux-x64": "linux-x86_64" }, archive: "tar.gz", program: "x" }],
  })
  expect(built.vendor?.layouts).toHaveLength(1)
  const command = { id: "x", name: "X", distribution: { command: { cmd: "/opt/x" } } }
  expect([namedPaths([command]), installEntryOf(command).versionCommands]).toEqual([{ x: "/opt/x" }, []])
})

test("what is added is kept, replaced and taken away; others cannot read it", () => {
  const path = addedFile(folder)
  addEntry(path, entry("one"))
  addEntry(path, entry("two"))
  addEntry(path, entry("one", "The first"))
  expect(readRegistryFile(path).map(({ id, name }) => [id, name])).toEqual([
    ["two", "two"],
    ["one", "The first"],
  ])
  expect(statSync(path).mode & 0o077).toBe(0)
  expect(registryEntries(folder).map(({ id }) => id)).toEqual(expect.arrayContaining(["gemini", "one", "two"]))
  expect([removeEntry(path, "two"), removeEntry(path, "two")]).toEqual([true, false])
})

test("the registry's own file adds its agents, but no name of ours", () => {
  const file = join(folder, "registry.json")
  writeFileSync(file, JSON.stringify({ version: "1.0.0", agents: [entry("claude"), entry("three")], extensions: [] }))
  const ids = registryEntries(join(folder, "none"), file).map(({ id }) => id)
  expect([ids.includes("three"), ids.includes("claude")]).toEqual([true, false])
})

test.each([
  ["{", "not JSON"],
  ['{"agents":[{"id":"X"}]}', "agents.0.id"],
  ['{"agents":[{"id":"x","name":"X","distribution":{}}]}', "names no npx"],
])("a file that is none is refused with its place: %s", (text, place) => {
  const file = join(folder, "bad.json")
  writeFileSync(file, text)
  expect(() => readRegistryFile(file)).toThrow(place)
})

test("of several that are added at once none is lost", async () => {
  const path = join(folder, "at-once/agents.json")
  const module = join(import.meta.dirname, "../../src/registry/registry-file.ts")
  const add = (name: string) =>
    `const { addEntry } = await import(${JSON.stringify(module)})
    for (let n = 0; n < 20; n++) addEntry(${JSON.stringify(path)}, { ...${JSON.stringify(entry("x"))}, id: "${name}-" + n })`
  const others = ["one", "two", "three"].map((name) =>
    Bun.spawn([bunProgram, "-e", add(name)], { env: process.env, stderr: "inherit" }),
  )
  expect(await Promise.all(others.map(({ exited }) => exited))).toEqual([0, 0, 0])
  expect(readRegistryFile(path)).toHaveLength(60)
})

test.skipIf(!mountable)("on a full disk nothing is added, and nothing is left of it", () => {
  const full = disk("16k")
  const path = join(full, "agents.json")
  addEntry(path, entry("first"))
  const before = readRegistryFile(path)
  expect(() => addEntry(path, entry("second", "x".repeat(20_000)))).toThrow(/ENOSPC/)
  expect(readRegistryFile(path)).toEqual(before)
  expect(readdirSync(full).sort()).toEqual(["agents.json", "agents.json.lock"])
})

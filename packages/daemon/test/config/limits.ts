import { readdirSync } from "node:fs"
import { configLimits } from "@sandbox-agent/schema/config-limits"
import { afterAll, beforeAll, expect } from "vitest"
import { writeEntry } from "../../src/core/config/entries.ts"
import { folderOf, tidySources } from "../../src/core/config/skill-sources.ts"
import type { Context } from "../../src/core/context.ts"
import { Confinement } from "../../src/files/confinement.ts"
import { ConfigRows } from "../../src/store/config-rows.ts"
import { Store } from "../../src/store/store.ts"
import { scratch, startDaemon, type TestDaemon } from "../harness/daemon.ts"
import { configOf, folder, skillText, statusOf } from "./client.ts"
import { overfill } from "./overfill.ts"

let daemon: TestDaemon
beforeAll(async () => {
  daemon = await startDaemon({ flags: ["--store", "memory"] })
})
afterAll(async () => {
  await daemon?.[Symbol.asyncDispose]()
})

const server = { type: "local", command: "sh" }
const inline = (files: Record<string, string>) => ({
  type: "inline",
  source: "s",
  files: { "SKILL.md": skillText("s"), ...files },
})

overfill(["directoryEntries"], "a directory has so many servers and no more, however many come at once", async () => {
  const { mcp } = configOf(daemon, folder())
  const names = Array.from({ length: configLimits.directoryEntries + 5 }, (_, n) => `s${n}`)
  const answers = await Promise.all(names.map((name) => mcp.put(name, server)))
  expect(answers.filter(({ status }) => status === 409).length).toBe(5)
  const { servers } = (await mcp.get()).body as { servers: { name: string }[] }
  expect(servers.length).toBe(configLimits.directoryEntries)
  // One that is there can still be changed.
  expect(statusOf(await mcp.put(servers[0]?.name ?? "", { ...server, enabled: false }))).toBe(204)
})

overfill(["entries"], "all directories together have so many and no more", async () => {
  const store = new Store({ kind: "memory", directory: scratch(), fsync: false })
  const config = new ConfigRows(store.db)
  const context = { store, config, files: new Confinement() } as Context
  for (let n = 1; n < configLimits.entries; n++) config.put("mcp", `/${n}`, "one", "{}")
  const directory = folder()
  await writeEntry(context, "mcp", directory, "last", () => server)
  await expect(writeEntry(context, "mcp", directory, "beyond", () => server)).rejects.toMatchObject({
    code: "conflict",
  })
  await writeEntry(context, "mcp", directory, "last", () => server)
  store.close()
})

overfill(["entryBytes", "sources", "inlineFiles", "mcpTimeoutMs"], "an entry is so large and no larger", async () => {
  const { mcp, skills } = configOf(daemon, folder())
  const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`f${n}`, ""]))
  const fits = (sources: object[]) => skills.put("one", { sources })
  expect(statusOf(await fits([inline({ long: "x".repeat(configLimits.entryBytes - 1_000) })]))).toBe(204)
  expect(statusOf(await fits([inline({ long: "x".repeat(configLimits.entryBytes) })]))).toBe(413)
  expect(statusOf(await fits([inline(many(configLimits.inlineFiles - 1))]))).toBe(204)
  expect(statusOf(await fits([inline(many(configLimits.inlineFiles))]))).toBe(400)
  expect(statusOf(await fits(Array.from({ length: configLimits.sources }, () => inline({}))))).toBe(204)
  expect(statusOf(await fits(Array.from({ length: configLimits.sources + 1 }, () => inline({}))))).toBe(400)
  expect(statusOf(await mcp.put("slow", { ...server, timeoutMs: configLimits.mcpTimeoutMs }))).toBe(204)
  expect(statusOf(await mcp.put("slow", { ...server, timeoutMs: configLimits.mcpTimeoutMs + 1 }))).toBe(400)
})

overfill(
  ["keptMs"],
  "what nobody names is kept so long for a session that is being made of it, and no longer",
  async () => {
    const store = new Store({ kind: "memory", directory: scratch(), fsync: false })
    const skillSources = folder("sources")
    const context = { store, config: new ConfigRows(store.db), files: new Confinement(), skillSources } as Context
    const key = "0123456789abcdef-0"
    const { folder: made } = await folderOf(context, key, inline({}), "/")
    expect(readdirSync(made)).toEqual(["SKILL.md"])
    const used = performance.now()
    await tidySources(context, used + configLimits.keptMs - 60_000)
    expect(readdirSync(skillSources)).toEqual([key])
    await tidySources(context, used + configLimits.keptMs)
    expect(readdirSync(skillSources)).toEqual([])
    store.close()
  },
)

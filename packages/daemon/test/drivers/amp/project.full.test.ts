import { chmodSync, existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { reply, toolCall } from "@sandbox-agent/scripted-model/script"
import { expect, test } from "vitest"
import type { Session } from "../../../src/core/session.ts"
import { patchSession } from "../../../src/core/settings.ts"
import { until } from "../../supervisor/processes.ts"
import { type Live, startLive } from "./live.ts"

const timeout = 120_000

function put(path: string, content: string | object): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content))
}

const mark = (live: Live, name: string) => join(live.directory, `mark-${name}`)
const touch = (live: Live, name: string) => ({ command: "sh", args: ["-c", `touch ${mark(live, name)}`] })
const labels = (live: Live, session: Session) =>
  JSON.stringify(live.items(session).filter(({ kind }) => kind === "status"))

/** A skill that brings a server; whoever starts it leaves a mark beside the workspace. */
function skill(live: Live, folder: string, name: string): void {
  put(
    join(folder, name, "SKILL.md"),
    `---\nname: ${name}\ndescription: of ${name}\n---\nDo ${name.toUpperCase()}-MARK.`,
  )
  put(join(folder, name, "mcp.json"), { [`server-${name}`]: touch(live, name) })
}

test("MCP servers of the repository's skills start under bypass alone, and the skills work without", {
  timeout,
}, async () => {
  const poem = reply(toolCall("skill", { name: "poem" }))
  await using live = await startLive(["early", poem, "late"])
  const ran = (name: string) => existsSync(mark(live, name))
  // Amp sees what comes while it runs.
  expect(await live.run("go")).toMatchObject({ stop_reason: "end_turn" })
  skill(live, live.file(".agents/skills"), "poem")
  skill(live, live.file(".claude/skills"), "prose")
  skill(live, join(live.home, ".config", "agents", "skills"), "mine")
  const mcp = { given: touch(live, "given") }
  const fenced = await live.create("fenced", { agent: "amp", env: live.env, mcp })
  expect(await live.run("go", fenced)).toMatchObject({ stop_reason: "end_turn" })
  expect(JSON.stringify(live.items(fenced))).toContain("POEM-MARK")
  // Those of the user and of the session start.
  await until(() => ran("mine") && ran("given"), "the servers that somebody asked for")
  expect([ran("poem"), ran("prose")]).toEqual([false, false])
  const leftOut = "MCP server server-poem of .agents/skills/poem/mcp.json"
  expect(labels(live, fenced)).toContain(leftOut)
  expect(await patchSession(fenced, { permissionMode: "acceptEdits" })).toBe("now")
  const free = await live.create("free", { agent: "amp", env: live.env, permissionMode: "bypass" })
  live.model.script(["one", "two"])
  await live.run("go", free)
  await until(() => ran("poem") && ran("prose"), "the servers of the repository")
  expect(labels(live, free)).not.toContain(leftOut)
  rmSync(mark(live, "poem"))
  // The process has them: another one takes its place.
  expect(await patchSession(free, { permissionMode: "default" })).toBe("reopen")
  expect(await live.run("again", free)).toMatchObject({ stop_reason: "end_turn" })
  expect([ran("poem"), labels(live, free).includes(leftOut)]).toEqual([false, true])
  expect(live.wrongs()).toEqual([])
})

test.each([
  ["a toolbox", "amp.toolbox.path"],
  ["rules for servers", "amp.mcpPermissions"],
  ["servers that it trusts", "amp.mcpTrustedServers"],
] as const)("a workspace that names %s is refused", { timeout }, async (_, name) => {
  await using live = await startLive([], { create: { permissionMode: "bypass" } })
  put(live.file(".amp/settings.json"), { [name]: [] })
  put(live.file("tools/one"), `#!/bin/sh\ntouch ${mark(live, "tool")}\n`)
  chmodSync(live.file("tools/one"), 0o755)
  await expect(live.create("second", { agent: "amp", env: live.env })).rejects.toThrow(`has ${name}`)
  expect(existsSync(mark(live, "tool"))).toBe(false)
})

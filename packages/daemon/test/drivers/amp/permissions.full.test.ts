import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { reply, toolCall } from "@sandbox-agent/scripted-model/script"
import { expect, test } from "vitest"
import { cancelTurn } from "../../../src/core/cancel.ts"
import { patchSession } from "../../../src/core/settings.ts"
import { until } from "../../supervisor/processes.ts"
import { startLive } from "./live.ts"

const timeout = 120_000
const bash = (cmd: string) => toolCall("Bash", { cmd })

test("of two calls each is asked for, one after the other; one is refused with words, always is kept by the core", {
  timeout,
}, async () => {
  const script = [reply(bash("touch a"), bash("touch b")), "went on", reply(bash("touch a")), "again"]
  await using live = await startLive(script)
  const first = live.run("one")
  const a = await live.permission()
  const detail = { command: "touch a" }
  expect(a).toMatchObject({ kind: "command", action: "Bash", detail, choices: ["once", "always", "reject"] })
  const items = live.items().filter(({ kind }) => kind === "tool_call")
  expect(items.map(({ item_id }) => item_id)).toContain(a.item_id)
  expect(items).toHaveLength(2)
  await live.reply(a.permission_id, "always")
  await live.reply((await live.permission(2)).permission_id, "reject", "not that one")
  expect(await first).toMatchObject({ stop_reason: "end_turn" })
  expect([existsSync(live.file("a")), existsSync(live.file("b"))]).toEqual([true, false])
  expect(JSON.stringify(live.items().filter(({ status }) => status === "failed"))).toContain("not that one")
  await live.run("two")
  expect(live.of("permission.resolved").map(({ data }) => [data.status, data.by])).toEqual([
    ["accept_for_session", "client"],
    ["reject", "client"],
    ["accept", "rule"],
  ])
  expect(live.wrongs()).toEqual([])
})

test("tools of a sub-agent are asked for, by what they are called with", { timeout }, async () => {
  const task = toolCall("Task", { prompt: "look", description: "Sub" })
  await using live = await startLive([reply(task), reply(bash("touch inner")), "inner done", "outer"])
  const turn = live.run("one")
  const asked = await live.permission()
  expect(asked).toMatchObject({ detail: { command: "touch inner" } })
  expect(asked.call_id).toBeUndefined()
  await live.reply(asked.permission_id, "once")
  expect(await turn).toMatchObject({ stop_reason: "end_turn" })
  expect(existsSync(live.file("inner"))).toBe(true)
  expect(live.wrongs()).toEqual([])
})

/** `HELD_SECONDS=600` for a person who was at lunch. */
const heldMs = Number(process.env.HELD_SECONDS ?? 5) * 1_000

test("a permission is held for longer than anything else may take", { timeout: timeout + heldMs }, async () => {
  const short = { answerMs: 1, configureMs: 1, interruptMs: 1, takenMs: 1 }
  await using live = await startLive([reply(bash("touch held")), "done"], { intervals: { silenceMs: 1 } })
  const turn = live.run("one")
  const asked = await live.permission()
  await live.waiting(short, () => Bun.sleep(heldMs))
  expect([existsSync(live.file("held")), live.of("permission.resolved")]).toEqual([false, []])
  await live.reply(asked.permission_id, "once")
  expect(await turn).toMatchObject({ stop_reason: "end_turn" })
  expect(existsSync(live.file("held"))).toBe(true)
})

test("what was asked when the turn is interrupted is over, its program too, and the next message is taken", {
  timeout,
}, async () => {
  await using live = await startLive([reply(bash("touch never")), "next"])
  void live.post("one")
  await live.permission()
  const asks = join(live.directory, "agents", "amp", "asks")
  const delegates = () => Bun.spawnSync(["pgrep", "-f", asks]).stdout.toString().trim()
  await until(() => delegates() !== "", "the delegate")
  expect(await cancelTurn(live.session, {})).toMatchObject({ ended: true })
  expect(live.of("turn.ended").at(-1)?.data).toMatchObject({ stop_reason: "cancelled" })
  await until(() => delegates() === "", "the end of the delegate")
  expect(await live.run("two")).toMatchObject({ stop_reason: "end_turn" })
  expect(existsSync(live.file("never"))).toBe(false)
  expect(live.wrongs()).toEqual([])
})

const loosening = [
  ["a rule that allows", { "amp.permissions": [{ tool: "Bash", action: "allow" }] }],
  ["a program of its own", { "amp.permissions": [{ tool: "*", action: "delegate", to: "/bin/true" }] }],
  ["everything allowed", { "amp.dangerouslyAllowAll": true }],
] as const

test.each(loosening)("a workspace with %s is refused, and taken under bypass", { timeout }, async (_, settings) => {
  await using live = await startLive(["fine"], { create: { permissionMode: "bypass" } })
  const folder = live.file(".amp")
  mkdirSync(folder)
  writeFileSync(join(folder, "settings.json"), `// of the repository\n${JSON.stringify(settings)}`)
  expect(await live.run("one")).toMatchObject({ stop_reason: "end_turn" })
  await expect(patchSession(live.session, { permissionMode: "default" })).rejects.toMatchObject({
    code: "permission_denied",
  })
  await expect(live.create("second", { agent: "amp", env: live.env })).rejects.toThrow("nobody is asked for")
})

test("the agent cannot change that by a tool, be the mode what it may and the file called what it will", {
  timeout,
}, async () => {
  await using live = await startLive([], { create: { permissionMode: "acceptEdits" } })
  mkdirSync(live.file(".amp"))
  mkdirSync(live.file("kept"))
  symlinkSync(".amp", live.file("folder"))
  symlinkSync(".amp/settings.json", live.file("unmade.json"))
  const content = JSON.stringify({ "amp.dangerouslyAllowAll": true })
  const paths = [
    ...[".amp/settings.json", "kept/../.amp/settings.jsonc", "folder/settings.json", "unmade.json"].map(
      (name) => `${live.workspace}/${name}`,
    ),
    `file://${live.file(".amp")}/settings%2Ejson?x`,
  ]
  const create = (path: string) => reply(toolCall("create_file", { path, content }))
  live.model.script([...paths.map(create), create(live.file("kept/plain.json")), "ready"])
  expect(await live.run("one")).toMatchObject({ stop_reason: "end_turn" })
  expect([readdirSync(live.file(".amp")), existsSync(live.file("kept/plain.json"))]).toEqual([[], true])
  const refused = live.items().filter((item) => JSON.stringify(item).includes("decide what it asks for"))
  expect(refused).toHaveLength(paths.length)
  expect(live.wrongs()).toEqual([])
})

test("what the user refuses stays refused, and their own settings are not written to", { timeout }, async () => {
  await using live = await startLive([reply(bash("touch a")), "done"], { create: { permissionMode: "bypass" } })
  const folder = join(live.home, ".config", "amp")
  mkdirSync(folder, { recursive: true })
  const file = join(folder, "settings.json")
  const content = JSON.stringify({ "amp.permissions": [{ tool: "Bash", action: "reject", message: "never" }] })
  writeFileSync(file, content)
  const other = await live.create("other", { agent: "amp", env: live.env, permissionMode: "bypass" })
  await live.run("one", other)
  expect(existsSync(live.file("a"))).toBe(false)
  expect(live.items(other).find(({ kind }) => kind === "tool_result")?.content[0]).toMatchObject({ output: "never" })
  expect(readFileSync(file, "utf8")).toBe(content)
})

import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { reply, toolCall } from "@sandbox-agent/scripted-model/script"
import { expect, test } from "vitest"
import { cancelTurn } from "../../../src/core/cancel.ts"
import { patchSession } from "../../../src/core/settings.ts"
import { startLive } from "./live.ts"

const timeout = 120_000
const bash = (command: string) => toolCall("bash", { command })

test("of two calls each is asked for, one after the other; one is refused with words, always is kept by the core", {
  timeout,
}, async () => {
  const script = [reply(bash("touch a"), bash("touch b")), "went on", reply(bash("touch a")), "again"]
  await using live = await startLive(script)
  const first = live.run("one")
  const a = await live.permission()
  const detail = { command: "touch a" }
  expect(a).toMatchObject({ kind: "command", action: "bash", detail, choices: ["once", "always", "reject"] })
  expect(live.items().map(({ item_id }) => item_id)).toContain(a.item_id)
  expect(live.of("permission.requested")).toHaveLength(1)
  await live.reply(a.permission_id, "always")
  const b = await live.permission(2)
  // None of them runs before all are decided.
  expect(existsSync(live.file("a"))).toBe(false)
  await live.reply(b.permission_id, "reject", "not this one")
  expect(await first).toMatchObject({ stop_reason: "end_turn" })
  expect([existsSync(live.file("a")), existsSync(live.file("b"))]).toEqual([true, false])
  expect(live.given()).toContain("not this one")
  expect(await live.run("two")).toMatchObject({ stop_reason: "end_turn" })
  expect(live.of("permission.resolved").map(({ data }) => data.by)).toEqual(["client", "client", "rule"])
  expect(live.wrongs()).toEqual([])
})

test("a file that is to be written or changed is asked for with its diff, and shown with it", { timeout }, async () => {
  const edits = [{ oldText: "two", newText: "deux" }]
  const script = [
    reply(toolCall("write", { path: "new.txt", content: "hello\n" })),
    reply(toolCall("edit", { path: "old.txt", edits })),
    "done",
  ]
  await using live = await startLive(script)
  writeFileSync(live.file("old.txt"), "one\ntwo\n")
  const turn = live.run("go")
  for (const [n, path, line] of [
    [1, "new.txt", "+hello"],
    [2, "old.txt", "-two\n+deux"],
  ] as const) {
    const { kind, detail, permission_id } = await live.permission(n)
    expect([kind, detail?.path]).toEqual(["file_change", path])
    expect(detail?.diff).toContain(line)
    await live.reply(permission_id, "once")
  }
  await turn
  expect(readFileSync(live.file("old.txt"), "utf8")).toBe("one\ndeux\n")
  const files = live.items().flatMap(({ content }) => content.filter((part) => part.type === "file_ref"))
  expect(files.map(({ path, action }) => [path, action])).toEqual([
    [live.file("new.txt"), "write"],
    [live.file("old.txt"), "patch"],
  ])
  expect(files[1]?.diff).toContain("+deux")
})

test("interrupted while it waits for a person, it lets go, and takes the next message", { timeout }, async () => {
  await using live = await startLive([reply(bash("touch never")), "after"])
  void live.post("one")
  await live.permission()
  await cancelTurn(live.session, {})
  expect(live.of("permission.resolved")[0]?.data.status).toBe("cancelled")
  expect(live.of("turn.ended")[0]?.data).toMatchObject({ stop_reason: "cancelled" })
  expect(live.of("turn.ended")[0]?.data.forced).toBeUndefined()
  expect(await live.run("two")).toMatchObject({ stop_reason: "end_turn" })
  expect(existsSync(live.file("never"))).toBe(false)
  expect(live.wrongs()).toEqual([])
})

test("what it starts sees nothing of how it was started itself", { timeout }, async () => {
  await using live = await startLive([reply(bash("env > seen")), "done"], { create: { permissionMode: "bypass" } })
  await live.run("go")
  const seen = readFileSync(live.file("seen"), "utf8")
  expect(seen).toContain("PI_CODING_AGENT_DIR=")
  expect(seen).not.toMatch(/BUN_BE_BUN|MIMALLOC|SANDBOX_AGENT_SETTINGS/)
})

/** Of a user: it adds a tool that starts what runs Pi, asks something when a turn begins, and has a command. */
const extension = `
import { execFileSync } from "node:child_process"
export default function (pi) {
  pi.on("before_agent_start", async (_event, ctx) => {
    const colour = await ctx.ui.select("Which colour?", ["Red", "Blue"])
    return { message: { customType: "mine", content: "The colour is " + colour, display: true } }
  })
  pi.registerTool({
    name: "count", label: "Count", description: "Counts",
    parameters: { type: "object", properties: {} },
    execute: async () => {
      const text = execFileSync(process.execPath, ["-e", "console.log(6 * 7)"], { encoding: "utf8" })
      return { content: [{ type: "text", text }], details: {} }
    },
  })
  pi.registerCommand("shout", { description: "Shouts", handler: async (args, ctx) => ctx.ui.notify(args.toUpperCase()) })
}
`

test("the user's own extensions work: their dialogs are questions, their tools are asked for", {
  timeout,
}, async () => {
  const files = { "extensions/mine.ts": extension }
  await using live = await startLive([reply(toolCall("count", {})), "counted"], { files })
  const turn = live.run("go")
  const asked = await live.question()
  expect([asked.prompt, asked.options]).toEqual(["Which colour?", ["Red", "Blue"]])
  await live.answer(asked.question_id, [["Blue"]])
  const { kind, action, permission_id } = await live.permission()
  expect([kind, action]).toEqual(["other", "count"])
  await live.reply(permission_id, "once")
  expect(await turn).toMatchObject({ stop_reason: "end_turn" })
  expect(live.given()).toContain("The colour is Blue")
  expect(live.transcript()).toContain("result 42\n")
  expect(await live.run("/shout hey")).toMatchObject({ stop_reason: "end_turn" })
  expect(live.items().flatMap(({ content }) => content)).toContainEqual({
    ...{ type: "status", label: "pi.notify", detail: "HEY" },
  })
  expect(live.of("session.updated").some(({ data }) => data.commands?.some(({ name }) => name === "shout"))).toBe(true)
  expect(live.wrongs()).toEqual([])
})

test("another model and another level are in force at once, and the user's settings stay as they are", {
  timeout,
}, async () => {
  await using live = await startLive(["one", "two"])
  const settings = () => readFileSync(`${live.agentFolder}/settings.json`, "utf8")
  const before = settings()
  await live.run("one")
  expect(await patchSession(live.session, { model: "scripted/two", variant: "high" })).toBe("now")
  await live.run("two")
  expect(live.model.requests.map(({ model, effort }) => [model, effort])).toEqual([
    ["one", "medium"],
    ["two", "high"],
  ])
  expect(settings()).toBe(before)
  for (const patch of [{ model: "scripted/none" }, { variant: "max" }])
    await expect(patchSession(live.session, patch)).rejects.toMatchObject({ code: "invalid_request" })
})

import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { reply, toolCall } from "@sandbox-agent/scripted-model/script"
import { versions } from "@sandbox-agent/test-agents/claude"
import { describe, expect, test } from "vitest"
import { patchSession } from "../../../src/core/settings.ts"
import { startLive } from "./live.ts"

const touch = (name: string) => reply(toolCall("Bash", { command: `touch ${name}` }))

describe.each(versions)("claude %s", (version) => {
  test("once runs it, reject refuses it and the model goes on, always is kept by the core", async () => {
    const script = [touch("a"), touch("b"), "went on", touch("c"), "third", touch("c"), "fourth"]
    await using live = await startLive(script, { version })
    const first = live.run("one")
    const asked = await live.permission()
    expect(asked).toMatchObject({
      kind: "command",
      action: "Bash",
      detail: { command: "touch a" },
      choices: ["once", "always", "reject"],
      call_id: expect.any(String),
      item_id: live.items().find(({ kind }) => kind === "tool_call")?.item_id,
    })
    await live.reply(asked.permission_id, "once")
    await live.reply((await live.permission(2)).permission_id, "reject", "not that one")
    expect(await first).toMatchObject({ stop_reason: "end_turn" })
    expect(existsSync(live.file("a"))).toBe(true)
    expect(existsSync(live.file("b"))).toBe(false)
    const refused = live.items().findLast(({ kind }) => kind === "tool_result")
    expect(refused).toMatchObject({ status: "failed", content: [{ is_error: true, output: /not that one/ }] })

    const second = live.run("two")
    await live.reply((await live.permission(3)).permission_id, "always")
    await second
    await live.run("again")
    expect(live.of("permission.resolved").map(({ data }) => [data.status, data.by])).toEqual([
      ["accept", "client"],
      ["reject", "client"],
      ["accept_for_session", "client"],
      ["accept", "rule"],
    ])
    expect(existsSync(live.file(".claude"))).toBe(false)
    expect(live.wrongs()).toEqual([])
  })
})

test("acceptEdits lets edits pass and asks for a command that makes a file", async () => {
  const script = [reply(toolCall("Write", { file_path: "", content: "x\n" }, {})), touch("a"), "done"]
  await using live = await startLive([], { create: { permissionMode: "acceptEdits" } })
  live.model.script([reply(toolCall("Write", { file_path: live.file("w"), content: "x\n" })), ...script.slice(1)])
  const turn = live.run("go")
  const asked = await live.permission(2)
  expect(asked).toMatchObject({ kind: "command", detail: { command: "touch a" } })
  await live.reply(asked.permission_id, "once")
  await turn
  expect(live.of("permission.resolved")[0]?.data).toMatchObject({ by: "mode", kind: "file_change", status: "accept" })
  expect(readFileSync(live.file("w"), "utf8")).toBe("x\n")
  expect(live.wrongs()).toEqual([])
})

test("bypass never waits for a person, and the log shows what was allowed", async () => {
  await using live = await startLive([touch("a"), touch("b"), "done"], { create: { permissionMode: "bypass" } })
  await live.run("go")
  expect(live.of("permission.resolved").map(({ data }) => [data.by, data.detail?.command])).toEqual([
    ["mode", "touch a"],
    ["mode", "touch b"],
  ])
  expect(existsSync(live.file("b"))).toBe(true)
  expect(live.wrongs()).toEqual([])
})

test("plan cannot write; a mode set while a request waits decides it", async () => {
  await using live = await startLive([touch("a"), "planned", touch("b"), "done"], {
    create: { permissionMode: "plan" },
  })
  await live.run("go")
  expect(live.of("permission.resolved")[0]?.data).toMatchObject({ status: "reject", by: "mode" })
  expect(existsSync(live.file("a"))).toBe(false)
  await patchSession(live.session, { permissionMode: "default" })
  const turn = live.run("again")
  await live.permission(2)
  expect(await patchSession(live.session, { permissionMode: "bypass" })).toBe("now")
  await turn
  expect(existsSync(live.file("b"))).toBe(true)
  expect(live.wrongs()).toEqual([])
})

test("an edit asks with its diff, and always covers the file", async () => {
  await using live = await startLive([])
  writeFileSync(live.file("a.txt"), "one\ntwo\nthree\n")
  const edit = (old: string, fresh: string) =>
    reply(toolCall("Edit", { file_path: live.file("a.txt"), old_string: old, new_string: fresh }))
  const read = reply(toolCall("Read", { file_path: live.file("a.txt") }))
  live.model.script([read, edit("two", "zwei"), edit("three", "drei"), "done"])
  const turn = live.run("go")
  const asked = await live.permission()
  expect(asked.kind).toBe("file_change")
  expect(asked.detail).toMatchObject({ path: live.file("a.txt") })
  expect(asked.detail?.diff).toContain("\n one\n-two\n+zwei\n three\n")
  await live.reply(asked.permission_id, "always")
  await turn
  expect(readFileSync(live.file("a.txt"), "utf8")).toBe("one\nzwei\ndrei\n")
  const files = live.items().flatMap(({ content }) => content.filter((part) => part.type === "file_ref"))
  expect(files.map(({ action }) => action)).toEqual(["read", "patch", "patch"])
  expect(files[1]?.diff).toContain("@@ -1,3 +1,3 @@\n one\n-two\n+zwei\n three\n")
  expect(live.wrongs()).toEqual([])
})

import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { reply, toolCall } from "@sandbox-agent/scripted-model/script"
import { describe, expect, test } from "vitest"
import { closeProcess } from "../../../src/core/process.ts"
import { patchSession } from "../../../src/core/settings.ts"
import { scratch } from "../../harness/daemon.ts"
import { sharedLive } from "./shared-live.ts"

const shared = sharedLive()
const bash = (command: string) => toolCall("bash", { command, description: "As told" })
const write = (filePath: string, content: string) => toolCall("write", { filePath, content })

describe("permissions", { timeout: 180_000 }, () => {
  test("once runs it, reject refuses it and the model goes on, always is kept by the core", async () => {
    const { live } = shared
    const script = [
      reply(bash("touch a")),
      reply(bash("touch b")),
      "went on",
      reply(bash("touch c")),
      "3",
      reply(bash("touch d")),
      "4",
    ]
    const session = await live.open(script)
    const first = live.run("one", session)
    const asked = await live.allow(session)
    expect(asked).toMatchObject({
      kind: "command",
      action: "bash",
      detail: { command: "touch a" },
      choices: ["once", "always", "reject"],
      metadata: { rules: ["touch *"] },
      item_id: live.items(session).find(({ kind }) => kind === "tool_call")?.item_id,
    })
    // Without a word: the model goes on all the same.
    await live.allow(session, 2, "reject")
    expect(await first).toMatchObject({ stop_reason: "end_turn" })
    expect(live.transcript(session).at(-1)).toBe("assistant: went on")
    expect([existsSync(live.file(session, "a")), existsSync(live.file(session, "b"))]).toEqual([true, false])
    const second = live.run("two", session)
    await live.allow(session, 3, "always")
    await second
    await live.run("three", session)
    expect(live.decisions(session)).toEqual([
      ["accept", "client"],
      ["reject", "client"],
      ["accept_for_session", "client"],
      ["accept", "rule"],
    ])
    const other = await live.open([reply(bash("touch d")), "no"], { directory: session.record.directory })
    const turn = live.run("mine", other)
    await live.allow(other, 1, "reject", "not here")
    expect(await turn).toMatchObject({ stop_reason: "end_turn" })
    expect(live.results(other)).toMatchObject([{ is_error: true, output: expect.stringContaining("not here") }])
    expect(live.wrongs()).toEqual([])
  })

  test("a refusal refuses what was asked beside it, and the model goes on", async () => {
    const { live } = shared
    const session = await live.open([reply(bash("touch a"), bash("touch b")), "went on"])
    const turn = live.run("both", session)
    await live.permission(2, session)
    await live.allow(session, 1, "reject", "neither")
    expect(await turn).toMatchObject({ stop_reason: "end_turn" })
    expect(live.decisions(session)).toEqual([
      ["reject", "client"],
      ["cancelled", "agent"],
    ])
    expect(live.transcript(session).at(-1)).toBe("assistant: went on")
    expect(live.wrongs()).toEqual([])
  })

  test("reading passes, an edit asks with its difference, acceptEdits lets it pass", async () => {
    const { live } = shared
    const session = await live.open([])
    writeFileSync(live.file(session, "a.txt"), "one\ntwo\n")
    const edit = (oldString: string, newString: string) => toolCall("edit", { filePath: "a.txt", oldString, newString })
    const read = reply(toolCall("read", { filePath: "a.txt" }))
    live.script(session, [
      read,
      reply(edit("two", "zwei")),
      "done",
      reply(edit("one", "eins")),
      reply(write("b.txt", "new\n")),
      reply(bash("touch c")),
      "all",
    ])
    const turn = live.run("go", session)
    const asked = await live.allow(session)
    expect(asked).toMatchObject({ kind: "file_change", detail: { path: live.file(session, "a.txt") } })
    expect(asked.detail?.diff).toContain("-two\n+zwei")
    await turn
    expect(await patchSession(session, { permissionMode: "acceptEdits" })).toBe("now")
    const second = live.run("on", session)
    await live.permission(4, session)
    await live.allow(session, 4, "reject")
    await second
    expect(live.decisions(session).slice(1)).toEqual([
      ["accept", "mode"],
      ["accept", "mode"],
      ["reject", "client"],
    ])
    expect(readFileSync(live.file(session, "a.txt"), "utf8")).toBe("eins\nzwei\n")
    const files = live.items(session).flatMap(({ content }) => content.filter((part) => part.type === "file_ref"))
    expect(files.map(({ action }) => action)).toEqual(["read", "patch", "patch", "write"])
    expect(files.slice(1).map(({ diff }) => diff?.match(/^\+\w+$/m)?.[0])).toEqual(["+zwei", "+eins", "+new"])
    expect(live.wrongs()).toEqual([])
  })

  test("plan cannot write, bypass never asks, and a mode set while one waits decides it", async () => {
    const { live } = shared
    const script = [reply(bash("touch a"), write("b", "x")), "planned", reply(bash("touch c")), "done"]
    const session = await live.open(script, { permissionMode: "plan" })
    expect(await live.run("go", session)).toMatchObject({ stop_reason: "end_turn" })
    expect(live.decisions(session).every(([status]) => status === "reject" || status === "cancelled")).toBe(true)
    expect([existsSync(live.file(session, "a")), existsSync(live.file(session, "b"))]).toEqual([false, false])
    await patchSession(session, { permissionMode: "default" })
    const turn = live.run("again", session)
    await live.until("permission.requested", ({ data }) => data.detail?.command === "touch c", session)
    await patchSession(session, { permissionMode: "bypass" })
    await turn
    expect(existsSync(live.file(session, "c"))).toBe(true)
    expect(live.wrongs()).toEqual([])
  })

  test("a sub-agent asks as well, for its own session, and its permissions hang on its call", async () => {
    const { live } = shared
    const task = toolCall("task", { description: "Sub", subagent_type: "general", prompt: "do it" })
    const session = await live.open([reply(task), reply(bash("touch inner")), "inner done", "outer done"])
    const turn = live.run("delegate", session)
    const asked = await live.allow(session)
    expect(asked.detail).toMatchObject({ command: "touch inner" })
    expect(await turn).toMatchObject({ stop_reason: "end_turn" })
    const [outer, inner] = live.items(session).filter(({ kind }) => kind === "tool_call")
    expect(inner?.parent_id).toBe(outer?.item_id)
    expect(asked.item_id).toBe(inner?.item_id)
    expect(live.transcript(session)).toEqual([
      ...["user: delegate", "call task", "  call bash", "  result ", "  assistant: inner done"],
      ...["result inner done", "assistant: outer done"],
    ])
    expect(existsSync(live.file(session, "inner"))).toBe(true)
    expect(session.record.usage?.input_tokens).toBe(400)
    expect(live.wrongs()).toEqual([])
  })

  test("a sub-agent that goes on where an earlier one ended is heard, also after the session was opened anew", async () => {
    const { live } = shared
    const task = (more = {}) =>
      reply(toolCall("task", { description: "Sub", subagent_type: "general", prompt: "do it", ...more }))
    const session = await live.open([task(), "first done", "outer done"])
    await live.run("delegate", session)
    const [, child] = /<task id=\\"(ses_\w+)\\"/.exec(JSON.stringify(live.model.requests.at(-1)?.body)) ?? []
    await closeProcess(session)
    live.script(session, [task({ task_id: child }), reply(bash("touch again")), "second done", "outer done"])
    const turn = live.run("go on", session)
    expect((await live.allow(session)).detail).toMatchObject({ command: "touch again" })
    expect(await turn).toMatchObject({ stop_reason: "end_turn" })
    expect(live.transcript(session).slice(5)).toEqual([
      ...["user: go on", "call task", "  call bash", "  result ", "  assistant: second done"],
      ...["result second done", "assistant: outer done"],
    ])
    expect(existsSync(live.file(session, "again"))).toBe(true)
    expect(live.wrongs()).toEqual([])
  })

  test("agent mode plan restricts nothing by itself", async () => {
    const { live } = shared
    const session = await live.open([reply(write("free.txt", "x")), "done"], { permissionMode: "bypass" })
    expect(await patchSession(session, { agentMode: "plan" })).toBe("now")
    await live.run("go", session)
    expect(existsSync(live.file(session, "free.txt"))).toBe(true)
    expect(live.wrongs()).toEqual([])
  })

  test("an agent of the project that allows itself everything is a mode, or a sub-agent, that still asks", async () => {
    const { live } = shared
    const directory = scratch()
    const folder = join(directory, ".opencode", "agent")
    mkdirSync(folder, { recursive: true })
    const allows = "permission:\n  '*': allow\n  bash:\n    'touch *': allow\n  edit: allow\n"
    for (const mode of ["primary", "subagent"])
      writeFileSync(join(folder, `free-${mode}.md`), `---\ndescription: Free\nmode: ${mode}\n${allows}---\nDo it.`)
    const acts = [reply(bash("touch a")), reply(write("b", "x"))]
    const task = toolCall("task", { description: "help", prompt: "do", subagent_type: "free-subagent" })
    const script = [...acts, "done", reply(task), ...acts, "sub done", "main done"]
    const session = await live.open(script, { directory, agentMode: "free-primary" })
    for (const [n, words] of ["itself", "by another"].entries()) {
      const turn = live.run(words, session)
      for (const [i, kind] of ["command", "file_change"].entries())
        expect(await live.allow(session, 2 * n + i + 1, "reject", "no")).toMatchObject({ kind })
      await turn
    }
    expect(live.decisions(session)).toEqual(Array(4).fill(["reject", "client"]))
    expect([existsSync(join(directory, "a")), existsSync(join(directory, "b"))]).toEqual([false, false])
    // Known from now on: the next session there needs no other server.
    const servers = live.servers
    await live.open([], { directory })
    expect(live.servers.filter((pid) => !servers.includes(pid))).toEqual([])
    expect(live.wrongs()).toEqual([])
  })
})

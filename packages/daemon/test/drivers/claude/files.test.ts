import { readFileSync, writeFileSync } from "node:fs"
import { reply, toolCall } from "@sandbox-agent/scripted-model/script"
import { expect, test } from "vitest"
import { startLive } from "./live.ts"

const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

test("a new file, an overwritten one and an edit come with their diffs; a picture that is read is shown", async () => {
  await using live = await startLive([], { create: { permissionMode: "acceptEdits" } })
  const path = live.file("a.txt")
  writeFileSync(live.file("dot.png"), Buffer.from(png, "base64"))
  live.model.script([
    reply(toolCall("Write", { file_path: path, content: "one\ntwo\n" })),
    reply(toolCall("Edit", { file_path: path, old_string: "two", new_string: "zwei" })),
    reply(toolCall("Write", { file_path: path, content: "eins\nzwei\ndrei" })),
    reply(toolCall("Read", { file_path: live.file("dot.png") })),
    reply(toolCall("Edit", { file_path: path, old_string: "nowhere", new_string: "x" })),
    "done",
  ])
  await live.run("go")
  expect(readFileSync(path, "utf8")).toBe("eins\nzwei\ndrei")
  const results = live.items().filter(({ kind }) => kind === "tool_result")
  const files = results.flatMap(({ content }) => content.filter((part) => part.type === "file_ref"))
  expect(files.map(({ action }) => action)).toEqual(["write", "patch", "write", "read"])
  expect(files[0]?.diff).toBe(`--- /dev/null\n+++ b${path}\n@@ -0,0 +1,2 @@\n+one\n+two\n`)
  expect(files[1]?.diff).toContain("\n one\n-two\n+zwei\n")
  expect(files[2]?.diff).toContain("-one\n+eins\n")
  const picture = results.flatMap(({ content }) => content.filter((part) => part.type === "image"))
  expect(picture).toMatchObject([{ path: live.file("dot.png"), mime: "image/png" }])
  expect(results.at(-1)).toMatchObject({ status: "failed", content: [{ is_error: true }] })
  expect(live.wrongs()).toEqual([])
})

test("pictures and documents reach the model, other files are named", async () => {
  await using live = await startLive(["seen"])
  writeFileSync(live.file("notes.txt"), "notes")
  writeFileSync(live.file("paper.pdf"), "%PDF-1.4\n%%EOF\n")
  const attachments = [
    { data: png, mime: "image/png", filename: "dot.png" },
    { path: "paper.pdf" },
    { path: "notes.txt" },
  ]
  await live.run("look", live.session, attachments)
  const sent = JSON.stringify(live.model.requests[0]?.body)
  const parts = [png, '"type":"document"', `Attached files:\\n- ${live.file("notes.txt")}`]
  expect(parts.filter((part) => !sent.includes(part))).toEqual([])
  expect(live.items()[0]?.content.map(({ type }) => type)).toEqual(["text", "image", "file_ref", "file_ref"])
  expect(live.wrongs()).toEqual([])
})

test("the todo list is a plan", async () => {
  const todos = (...states: string[]) =>
    reply(
      toolCall("TodoWrite", { todos: states.map((status, i) => ({ content: `Step ${i}`, status, activeForm: "x" })) }),
    )
  await using live = await startLive([todos("in_progress", "pending"), todos("completed", "completed"), "done"])
  await live.run("go")
  expect(live.of("plan.updated").map(({ data }) => data.entries)).toEqual([
    [
      { content: "Step 0", status: "in_progress" },
      { content: "Step 1", status: "pending" },
    ],
    [
      { content: "Step 0", status: "completed" },
      { content: "Step 1", status: "completed" },
    ],
  ])
  expect(live.wrongs()).toEqual([])
})

import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { ContentPart } from "@sandbox-agent/schema/item"
import { describe, expect, test } from "vitest"
import { type SeenItem, textOf, textsOf } from "./items.ts"
import { openSession } from "./session.ts"

const partOf = <T extends ContentPart["type"]>(item: SeenItem | undefined, type: T) =>
  item?.end?.content?.find((part): part is Extract<ContentPart, { type: T }> => part.type === type)

describe("/tool", () => {
  test("is a call with its arguments, then a result that repeats them", async () => {
    const json =
      '{"path": "日本 👩‍👩‍👧", "n": [1, 2, 3], "long": "0123456789012345678901234567890123456789012345678901234567890"}'
    const { items, calls } = await (await openSession()).run(`/tool Read ${json}`)
    const [call, result] = items
    expect(call).toMatchObject({ kind: "tool_call", role: "assistant" })
    expect(call?.deltas.join("")).toBe(json)
    expect(call?.deltas.length).toBeGreaterThan(1)
    const id = partOf(call, "tool_call")?.call_id
    expect(call?.end).toEqual({
      status: "completed",
      content: [{ type: "tool_call", name: "Read", arguments: json, call_id: id, kind: "other" }],
    })
    expect(result).toMatchObject({ kind: "tool_result", role: "tool" })
    expect(result?.end).toEqual({
      status: "completed",
      content: [{ type: "tool_result", call_id: id, output: json }],
    })
    const order = calls.filter(({ name }) => name === "open" || name === "close").map(({ name }) => name)
    expect(order).toEqual(["open", "close", "open", "close"])
  })

  test("hangs on the last text of its turn, and its result with it", async () => {
    const { items } = await (await openSession()).run("/tool A 1\nhello\n/think hm\n/tool B 2\n/tool C 3")
    const [a, aResult, text, thought, b, bResult, c, cResult] = items
    expect([a?.parent, aResult?.parent, text?.parent, thought?.parent]).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ])
    expect([b, bResult, c, cResult].map((item) => item?.parent)).toEqual(Array(4).fill(text?.key))
    expect([text, thought, b, bResult].map((item) => item?.group)).toEqual(Array(4).fill(text?.group))
    expect(new Set([a?.group, text?.group, c?.group]).size).toBe(3)
  })

  test("a text of an earlier turn made none of this one's calls", async () => {
    const session = await openSession()
    await session.run("hello")
    const { items } = await session.run("/tool A 1")
    expect(items.map(({ parent }) => parent)).toEqual([undefined, undefined])
  })
})

describe("/edit", () => {
  test("writes a new file, folders included", async () => {
    const session = await openSession()
    const { items } = await session.run("/edit deep/er/a.txt hello  world")
    const path = join(session.directory, "deep/er/a.txt")
    expect(readFileSync(path, "utf8")).toBe("hello  world")
    expect(partOf(items[0], "tool_call")).toMatchObject({ name: "Edit", kind: "edit", title: "deep/er/a.txt" })
    expect(items[1]?.end?.status).toBe("completed")
    const diff = "--- /dev/null\n+++ b/deep/er/a.txt\n@@ -0,0 +1,1 @@\n+hello  world\n\\ No newline at end of file\n"
    expect(partOf(items[1], "file_ref")).toEqual({ type: "file_ref", path, action: "write", diff })
  })

  test("patches a file that exists", async () => {
    const session = await openSession()
    const path = join(session.directory, "a.txt")
    writeFileSync(path, "one\ntwo\n")
    const { items } = await session.run("/edit a.txt two")
    expect(readFileSync(path, "utf8")).toBe("two")
    const diff = "--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,1 @@\n-one\n-two\n+two\n\\ No newline at end of file\n"
    expect(partOf(items[1], "file_ref")).toEqual({ type: "file_ref", path, action: "patch", diff })
  })

  test("what cannot be written is a failed result, and the turn goes on", async () => {
    const session = await openSession()
    mkdirSync(join(session.directory, "folder"))
    const { items, end } = await session.run("/edit folder text\n/echo on")
    expect(items[1]?.end?.status).toBe("failed")
    expect(partOf(items[1], "tool_result")).toMatchObject({ is_error: true, output: expect.stringContaining("EISDIR") })
    expect(partOf(items[1], "file_ref")).toBeUndefined()
    expect(textsOf(items)).toEqual(["on"])
    expect(end.stop).toBe("end_turn")
  })
})

describe("/run", () => {
  test("streams the output of a real command, in the given folder and environment", async () => {
    const session = await openSession({ env: { GREETING: "bonjour" } })
    const { items, calls } = await session.run("/run echo $GREETING; pwd; echo oops >&2")
    const [call, result] = items
    expect(partOf(call, "tool_call")).toMatchObject({ name: "Bash", kind: "execute" })
    expect(JSON.parse(textOf(call) ?? "")).toEqual({ command: "echo $GREETING; pwd; echo oops >&2" })
    expect(result?.deltas.join("")).toBe(textOf(result))
    // Two pipes, each in its order; which of them is read first nobody knows.
    expect(textOf(result)?.replace("oops\n", "")).toBe(`bonjour\n${session.directory}\n`)
    expect(textOf(result)).toContain("oops\n")
    expect(result?.end).toMatchObject({ status: "completed" })
    expect(partOf(result, "tool_result")).not.toHaveProperty("is_error")
    const deltas = calls.flatMap((call) =>
      call.name === "delta" && call.args[0] === result?.key ? [call.args[1]] : [],
    )
    expect(new Set(deltas)).toEqual(new Set([{ index: 0, type: "output" }]))
  })

  test("a command that fails is a failed result with its output", async () => {
    const { items, end } = await (await openSession()).run("/run echo partial; exit 3\n/run exit 4\n/run kill -9 $$")
    expect(items.filter(({ kind }) => kind === "tool_result").map(textOf)).toEqual([
      "partial\n",
      "Exit code 4.",
      "Ended by SIGKILL.",
    ])
    for (const item of items.filter(({ kind }) => kind === "tool_result")) {
      expect(item.end?.status).toBe("failed")
      expect(partOf(item, "tool_result")?.is_error).toBe(true)
    }
    expect(end.stop).toBe("end_turn")
  })

  test("a silent command has an empty result", async () => {
    const { items } = await (await openSession()).run("/run true")
    expect(items[1]?.deltas).toEqual([])
    expect(textOf(items[1])).toBe("")
  })

  test("does not wait for what the command left in the background", async () => {
    const { items } = await (await openSession()).run("/run sleep 1000 & echo left")
    expect(textOf(items[1])).toBe("left\n")
  })

  test("much output is all there in deltas, and cut and marked in the result", async () => {
    const bytes = 6 * 1024 * 1024
    const { items } = await (await openSession()).run(`/run head -c ${bytes} /dev/zero | tr '\\0' x`)
    expect(items[1]?.deltas.join("").length).toBe(bytes)
    expect(partOf(items[1], "tool_result")).toMatchObject({ truncated: true })
    expect(textOf(items[1])?.length).toBe(4 * 1024 * 1024)
  })
})

describe("/subagent", () => {
  test("its items hang on the call that started it", async () => {
    const { items } = await (await openSession()).run("hello\n/subagent")
    const [text, call, innerText, innerCall, innerResult, result] = items
    expect(items.map(({ kind }) => kind)).toEqual([
      ...["message", "tool_call", "message", "tool_call", "tool_result", "tool_result"],
    ])
    expect([call?.parent, result?.parent]).toEqual([text?.key, text?.key])
    expect([innerText, innerCall, innerResult].map((item) => item?.parent)).toEqual(Array(3).fill(call?.key))
    expect(partOf(result, "tool_result")?.call_id).toBe(partOf(call, "tool_call")?.call_id)
    expect(partOf(innerResult, "tool_result")?.call_id).toBe(partOf(innerCall, "tool_call")?.call_id)
  })
})

describe("/image", () => {
  test("is a message with a real picture on disk", async () => {
    const { items } = await (await openSession()).run("/image")
    expect(items[0]).toMatchObject({ kind: "message", role: "assistant" })
    const image = partOf(items[0], "image")
    expect(image?.mime).toBe("image/png")
    const bytes = readFileSync(image?.path ?? "")
    expect(bytes.subarray(1, 4).toString()).toBe("PNG")
    expect(bytes.subarray(-8, -4).toString()).toBe("IEND")
    expect(existsSync(image?.path ?? "")).toBe(true)
  })
})

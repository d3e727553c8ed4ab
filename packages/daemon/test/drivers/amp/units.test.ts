import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { callLimits } from "@sandbox-agent/schema/driver-limits"
import { describe, expect, test } from "vitest"
import type { Sink } from "../../../src/core/driver-sink.ts"
import { mcpPermissions } from "../../../src/drivers/amp/mcp-permissions.ts"
import { userMessage } from "../../../src/drivers/amp/message.ts"
import { errorOf, startError } from "../../../src/drivers/amp/outcome.ts"
import { resultOf } from "../../../src/drivers/amp/results.ts"
import { settingsWith } from "../../../src/drivers/amp/settings.ts"
import { changedBy } from "../../../src/drivers/amp/tools.ts"
import { Transcript } from "../../../src/drivers/amp/transcript.ts"
import { Confinement } from "../../../src/files/confinement.ts"
import { scratch } from "../../harness/daemon.ts"

const png = Buffer.from("\x89PNG\r\n\x1a\nrest", "latin1")
const reach = new Confinement([], [], [], undefined)

describe("messages", () => {
  const partsOf = async (attachments: object[], text = "look") => {
    const { message } = await userMessage({ id: "m", text, attachments, brief: undefined } as never, reach)
    return message.content.map((part) => (part.type === "text" ? part.text : part.source.media_type))
  }
  test("a picture is what its bytes say; what is none is named", async () => {
    const named = (path: string, bytes: Buffer) => ({ path, bytes, mime: "image/jpeg" })
    expect(await partsOf([named("/a", png)])).toEqual(["look", "image/png"])
    expect(await partsOf([named("/a", Buffer.from("text"))])).toEqual(["look\n\nAttached files:\n- /a"])
  })

  test("a picture is read from its file, and other types are known by their bytes", async () => {
    const path = join(scratch(), "p")
    for (const [bytes, type] of [
      ["\xff\xd8\xff\xe0", "image/jpeg"],
      ["GIF89a", "image/gif"],
      ["RIFF0000WEBPVP8", "image/webp"],
    ] as const) {
      writeFileSync(path, Buffer.from(bytes, "latin1"))
      expect(await partsOf([{ path, mime: "image/png" }])).toEqual(["look", type])
    }
  })

  test("a brief goes before what is said", async () => {
    const { message } = await userMessage({ id: "m", text: "now", attachments: [], brief: "before" }, reach)
    expect(message.content).toEqual([
      { type: "text", text: "before" },
      { type: "text", text: "now" },
    ])
  })
})

test("what made it give up has a code", () => {
  const said = (text: string) => Object.values(errorOf(text))
  expect(said('429 {"type":"error","error":{"message":"slow \\"down\\""}}')).toEqual(["rate_limited", 'slow "down"'])
  expect(said("Unauthorized Check your access token.")[0]).toBe("authentication_failed")
  expect(said("Model Provider Overloaded Try again in a few seconds.")[0]).toBe("overloaded")
  expect(said("503 {}")).toEqual(["server_error", "503 {}"])
  expect(said("terminated")[0]).toBe("connection_failed")
  expect(said("something")).toEqual(["during_execution", "something"])
  const stderr = (head: string) => startError({ code: 1, stderr: { head, truncated: false } })
  expect(stderr("Error: Invalid or missing API key. Run 'amp login'\n\u001b[=0u")).toMatchObject({
    code: "authentication_failed",
  })
  expect(stderr("Thread T-1 does not exist.")).toMatchObject({ code: "not_found" })
  expect(stderr("\u001b[?25h")).toBeUndefined()
})

test("results of its own tools are read; others stay as they are", () => {
  const result = (name: string, content: string, input = {}) =>
    resultOf({ name, input }, content, false, "/w", undefined)
  expect(result("shell_command", '{"output":"x","exitCode":2}')).toMatchObject({ output: "x", failed: true })
  expect(result("Bash", "plain")).toMatchObject({ output: "plain", failed: false })
  expect(result("Bash", "{half")).toMatchObject({ output: "{half" })
  expect(result("mcp__a__b", '[{"type":"image"}]').output).toBe('[{"type":"image"}]')
  const files = [{ path: "p", uri: "file:///w/p", diff: "+x" }, { path: "q" }]
  expect(result("apply_patch", JSON.stringify({ files })).files.map(({ path }) => path)).toEqual(["/w/p", "/w/q"])
  expect(result("Read", '{"absolutePath":"/w/a","content":""}').files).toEqual([
    { type: "file_ref", path: "/w/a", action: "read" },
  ])
})

test("of the user's settings what they refuse comes first, and nothing lets a tool pass but ours", () => {
  const refused = { tool: "Bash", action: "reject" }
  const user = {
    "amp.permissions": [{ tool: "*", action: "allow" }, refused],
    "amp.dangerouslyAllowAll": true,
    "amp.skills.path": "/mine",
    "amp.tools.disable": ["oracle"],
  }
  const made = settingsWith(user, "/delegate", "/skills")
  const rules = made["amp.permissions"] as { tool: string; action: string; to?: string }[]
  expect(rules[0]).toEqual(refused)
  expect(rules.at(-1)).toEqual({ tool: "*", action: "delegate", to: "/delegate" })
  expect(rules.filter(({ action, tool }) => action === "allow" && tool === "*")).toEqual([])
  expect(made).toMatchObject({
    "amp.dangerouslyAllowAll": false,
    "amp.skills.path": "/mine:/skills",
    "amp.tools.disable": ["oracle"],
  })
})

test("calls without an end are not remembered for ever", () => {
  const nothing = () => {}
  const sink = { open: nothing, close: nothing } as unknown as Sink
  const transcript = new Transcript(sink, "/w", () => undefined)
  for (let n = 0; n <= callLimits.waitingCalls; n++)
    transcript.assistant({
      type: "assistant",
      message: { content: [{ type: "tool_use", id: `c${n}`, name: "Bash", input: {} }], stop_reason: "tool_use" },
      parent_tool_use_id: null,
    })
  expect([transcript.isOpen("c0"), transcript.isOpen("c1")]).toEqual([false, true])
})

test("of MCP servers only those start that somebody asked for, by the very words", () => {
  const known = [{ command: "npx" }, { command: "uvx", args: ["a", "*"] }, { url: "https://known.example" }]
  const brought = [{ command: "npx", args: ["evil"] }, { name: "no server" }]
  const users = { matches: { command: "theirs" }, action: "allow" }
  expect(mcpPermissions([users], known, brought)).toEqual([
    { matches: { command: "npx", args: "evil" }, action: "reject" },
    users,
    { matches: { command: "uvx", args: "/(?<![\\s\\S])a \\*(?![\\s\\S])/" }, action: "allow" },
    { matches: { command: "npx", args: "*" }, action: "reject" },
    { matches: { command: "npx" }, action: "allow" },
    { matches: { url: "https://known.example" }, action: "allow" },
    { matches: { command: "*" }, action: "reject" },
    { matches: { url: "*" }, action: "reject" },
  ])
})

test("a patch changes the files that its text names, whatever stands beside it", () => {
  const patchText = [
    ...["*** Begin Patch", "*** Update File: a", "*** Move to: .amp/settings.json", "@@", "-*** x", "+y"],
    ...["*** Add File: b c", "+*** Add File: no", "*** Delete File: /d", "*** End Patch"],
  ].join("\n")
  expect(changedBy("apply_patch", { path: "other", patchText })).toEqual(["a", ".amp/settings.json", "b c", "/d"])
  expect([changedBy("edit_file", { path: "file:///w/a%20b?x#y" }), changedBy("edit_file", {})]).toEqual([
    ["/w/a b"],
    [],
  ])
  expect(changedBy("edit_file", { path: "file:///w/%" })).toEqual(["/w/%"])
})

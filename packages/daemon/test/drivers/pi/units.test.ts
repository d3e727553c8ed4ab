import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { BRIEF_BEGINS, MemoryGone, type PastItem } from "../../../src/core/driver.ts"
import { checkSettings } from "../../../src/drivers/pi/capabilities.ts"
import { absolutePath, proposedDiff } from "../../../src/drivers/pi/files.ts"
import { branchTo, forkSession, holdsEntry } from "../../../src/drivers/pi/fork.ts"
import { readHistory } from "../../../src/drivers/pi/history.ts"
import { findSession, sessionsHome } from "../../../src/drivers/pi/home.ts"
import { promptOf } from "../../../src/drivers/pi/message.ts"
import { splitModel, variantsOf } from "../../../src/drivers/pi/models.ts"
import { errorOf, piExited } from "../../../src/drivers/pi/outcome.ts"
import { headerOf } from "../../../src/drivers/pi/session-file.ts"
import { Confinement } from "../../../src/files/confinement.ts"
import { scratch } from "../../harness/daemon.ts"

const reach = new Confinement()
const host = { reach, asAgent: <T>(work: () => T): T => work() }

describe("messages", () => {
  const prompt = (text: string, brief?: string) => promptOf({ id: "m", text, attachments: [], brief }, reach)

  test("a brief stands in front of what is said, but not of a command", async () => {
    expect(await prompt("now", "before")).toEqual({ message: "before\n\nnow" })
    expect(await prompt("/skill:poem", "before")).toEqual({ message: "/skill:poem" })
  })

  test("a picture goes along; what is none is named", async () => {
    const attachments = [
      { path: "/a.png", bytes: Buffer.from("picture"), mime: "image/png" },
      { path: "/b.pdf", bytes: Buffer.from("text"), mime: "application/pdf" },
    ]
    expect(await promptOf({ id: "m", text: "look", attachments }, reach)).toEqual({
      message: "look\n\nAttached files:\n- /b.pdf",
      images: [{ type: "image", data: Buffer.from("picture").toString("base64"), mimeType: "image/png" }],
    })
  })
})

test("a model has the levels that it names, and the usual ones unless it says otherwise", () => {
  const model = { id: "m", provider: "p" }
  expect(variantsOf(model)).toEqual([])
  expect(variantsOf({ ...model, reasoning: true })).toEqual(["off", "minimal", "low", "medium", "high"])
  const thinkingLevelMap = { off: null, minimal: null, xhigh: "extra" }
  expect(variantsOf({ ...model, reasoning: true, thinkingLevelMap })).toEqual(["low", "medium", "high", "xhigh"])
  expect(splitModel("openrouter/vendor/model")).toEqual({ provider: "openrouter", modelId: "vendor/model" })
})

test("what Pi would pass over is refused", () => {
  expect(() => checkSettings({ agentMode: "plan" })).toThrow("no mode plan")
  expect(() => checkSettings({ model: "sonnet" })).toThrow("PROVIDER/MODEL")
  expect(() => checkSettings({ variant: "hard" })).toThrow("no variant hard")
  expect(() => checkSettings({ agentMode: "build", model: "a/b", variant: "max" })).not.toThrow()
})

test("what made it give up has a code", () => {
  const said = (text: string) => Object.values(errorOf(text))
  expect(said('429: {"message":"slow \\"down\\"","type":"x"}')).toEqual(["rate_limited", 'slow "down"'])
  expect(said("503: upstream")).toEqual(["server_error", "503: upstream"])
  expect(said("terminated")[0]).toBe("connection_failed")
  expect(said("No API key found for anthropic.\n\nUse /login")[1]).toMatch(/^No API key found for anthropic\. Set/)
  expect(said("something")).toEqual(["during_execution", "something"])
  const head = "No session found matching 'x'"
  expect(piExited({ code: 1, stderr: { head, truncated: false } })).toBeInstanceOf(MemoryGone)
  expect(piExited({ code: 1 })).toMatchObject({ code: "agent_process_exited" })
})

test("what a tool would do to a file is foreseen, where it can be", async () => {
  const folder = scratch()
  const path = join(folder, "a.txt")
  writeFileSync(path, "one\ntwo\n")
  const edit = (...edits: object[]) => proposedDiff("edit", { edits }, path, reach)
  expect(await edit({ oldText: "one", newText: "1" }, { oldText: "two", newText: "2" })).toContain("-one\n-two\n+1\n+2")
  expect(await edit({ oldText: "three", newText: "3" })).toBeUndefined()
  expect(await proposedDiff("write", { content: "new\n" }, join(folder, "b.txt"), reach)).toContain("--- /dev/null")
  expect(absolutePath("@a.txt", folder)).toBe(path)
  expect(absolutePath("/etc/hosts", folder)).toBe("/etc/hosts")
})

describe("files of sessions", () => {
  const message = (id: string, parentId: string | null, role: string, text: string) => ({
    ...{ type: "message", id, parentId },
    message: { role, content: [{ type: "text", text }] },
  })
  const header = { type: "session", version: 3, id: "abc", cwd: "/w" }

  /** A session with two branches; the second is the one that goes on. */
  function written(): { home: string; file: string } {
    const home = scratch()
    mkdirSync(join(home, "--w--"))
    const file = join(home, "--w--", "2026-01-01T00-00-00-000Z_abc.jsonl")
    const brief = `${BRIEF_BEGINS}\nold\n</session-brief>\n\nafter it`
    const call = { type: "toolCall", id: "c", name: "bash", arguments: { command: "ls" } }
    const entries = [
      ...[header, message("1", null, "user", "one"), message("2", "1", "assistant", "left")],
      ...[message("3", "1", "user", brief), message("4", "3", "assistant", "right")],
      { type: "message", id: "5", parentId: "4", message: { role: "assistant", content: [call] } },
      { ...message("6", "5", "toolResult", "files"), message: { ...toolResult, isError: true } },
    ]
    writeFileSync(file, `${entries.map((entry) => JSON.stringify(entry)).join("\n")}\nnot json\n`)
    return { home, file }
  }
  const toolResult = { role: "toolResult", toolCallId: "c", content: [{ type: "text", text: "files" }] }

  test("one is found by its id alone, in whichever folder", async () => {
    const { home, file } = written()
    expect(await findSession(home, "abc")).toBe(file)
    expect(await findSession(join(home, "--w--"), "abc")).toBe(file)
    for (const id of ["ab", "../abc", "", "*"]) expect(await findSession(home, id)).toBeUndefined()
    expect(await findSession(join(home, "none"), "abc")).toBeUndefined()
    expect(sessionsHome({ HOME: "/h", PI_CODING_AGENT_DIR: "~/pi" })).toBe("/h/pi/sessions")
    expect(sessionsHome({ HOME: "/h", PI_CODING_AGENT_SESSION_DIR: "/s" })).toBe("/s")
    expect(sessionsHome({ HOME: "/h" })).toBe("/h/.pi/agent/sessions")
  })

  test("its past is what was said along its last branch, without briefs of ours", async () => {
    const { home } = written()
    const items: PastItem[] = []
    for await (const item of readHistory(home, "abc", host)) items.push(item)
    expect(items.map(({ kind, role }) => `${role} ${kind}`)).toEqual([
      ...["user message", "user message", "assistant message", "assistant tool_call", "tool tool_result"],
    ])
    expect(items.slice(0, 3).map(({ content: [part] }) => (part?.type === "text" ? part.text : ""))).toEqual([
      ...["one", "after it", "right"],
    ])
    expect(items[4]?.content).toEqual([{ type: "tool_result", call_id: "c", output: "files", is_error: true }])
  })

  test("a fork has the entries up to where it is cut, under its own id", async () => {
    const { file } = written()
    expect([...(await branchTo(file, "2", host))]).toEqual(["2", "1"])
    const copy = await forkSession(file, "2", "def", host)
    expect(await findSession(join(file, ".."), "def")).toBe(copy)
    expect(await headerOf(copy, host)).toMatchObject({ id: "def", cwd: "/w", parentSession: file })
    expect([...(await branchTo(copy, undefined, host))]).toEqual(["2", "1"])
    // What is left of a session is whole with the entry that was its last.
    expect(await holdsEntry({ file: copy, bytes: 0, last: "2" }, host)).toBe(true)
    await expect(holdsEntry({ file: copy, bytes: 0, last: "3" }, host)).rejects.toBeInstanceOf(MemoryGone)
    await expect(forkSession(file, "9", "ghi", host)).rejects.toBeInstanceOf(MemoryGone)
    writeFileSync(file, "{}\n")
    await expect(headerOf(file, host)).rejects.toBeInstanceOf(MemoryGone)
  })
})

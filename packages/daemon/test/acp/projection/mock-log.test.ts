import { writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Event } from "@sandbox-agent/schema/event"
import type { Item } from "@sandbox-agent/schema/item"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { commands } from "../../../src/drivers/mock/agent/commands/table.ts"
import { catalog } from "../../../src/drivers/mock/catalog.ts"
import type { Sources } from "../../../src/faces/acp/projection/sources.ts"
import { startDaemon, type TestDaemon } from "../../harness/daemon.ts"
import { Editor } from "./editor.ts"
import { wrongsOfLog } from "./log-check.ts"
import { clients, foldLog, projectLog } from "./log-projection.ts"
import { attend } from "./mock-session.ts"

const PATIENCE_MS = 120_000

/** What one session can be told; the others end it, or their process. */
const script = `plain words
/echo hello
/stream 50 20
/flood 20 1000
/think hard
/tool Search {"query":"x"}
/run printf 'one\\ntwo\\n'; sleep 0.1; echo three
/run exit 3
/permission echo allowed
/question
/questions
/plan
/todo
/usage
/subagent
/image
/title A title
/sleep 1
/garbage
/unknown
/grandchild`

const apart: Record<string, string> = { error: "/error on purpose", crash: "/crash 3", exit: "/exit", hang: "/hang" }

let daemon: TestDaemon
const logs: Record<string, Event[]> = {}
const transcripts: Record<string, Item[]> = {}
const blobs = new Map<string, string>()

async function keep(id: string): Promise<void> {
  logs[id] = await daemon.api.events(id, "&include_raw=true")
  transcripts[id] = (await daemon.api.items(id)).items
  for (const { content } of transcripts[id] ?? [])
    for (const part of content)
      if (part.type === "image" && part.blob !== undefined) {
        const address = `${daemon.url}/v1/sessions/${id}/blobs/${part.blob}`
        const bytes = await (await fetch(address, { headers: daemon.api.headers })).arrayBuffer()
        blobs.set(part.blob, Buffer.from(bytes).toString("base64"))
      }
}

beforeAll(async () => {
  daemon = await startDaemon()
  const { api, dataDir } = daemon
  await api.create("all", { directory: dataDir, metadata: { team: "a" } })
  const leave = attend(api, "all")
  await api.turn("all", script)
  writeFileSync(join(dataDir, "notes.txt"), "before\nkept\n")
  await api.turn("all", "/edit notes.txt after\n/edit made.txt new")
  const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
  const attachments = [{ data: png, mime: "image/png" }, { path: "notes.txt" }]
  await api.turn("all", "look at this", { attachments })
  await api.ok("PATCH", "/v1/sessions/all", { permissionMode: "bypass", agentMode: "plan", metadata: { team: "b" } })
  await api.ok("PATCH", "/v1/sessions/all", { model: "mock-large", variant: "high" })
  await api.turn("all", "/permission echo nobody is asked")
  await api.turn("all", "/background 20")
  const agentTurn = await api.until("all", "turn.started", ({ data }) => data.origin === "agent")
  await api.until("all", "turn.ended", ({ data }) => data.turn_id === agentTurn.data.turn_id)
  await leave()
  await api.ok("POST", "/v1/sessions/all/fork", { id: "forked" })
  await api.ok("POST", "/v1/sessions/all/terminate", {})
  for (const [id, message] of Object.entries(apart)) {
    await api.create(id)
    if (id === "hang") {
      await api.send(id, message)
      await api.until(id, "item.completed", ({ data }) => data.item.role === "assistant")
      await api.ok("POST", `/v1/sessions/${id}/cancel`, {})
      await api.until(id, "turn.ended")
    } else await api.turn(id, message)
  }
  for (const id of ["all", "forked", ...Object.keys(apart)]) await keep(id)
}, PATIENCE_MS)

afterAll(() => daemon?.[Symbol.asyncDispose]())

const sources: Sources = {
  image: (blob) => blobs.get(blob),
  options: () => ({ settings: { agentMode: "build", permissionMode: "default" }, catalog }),
}

test("every command of the mock agent is in these logs", () => {
  const said = [script, "/edit", "/background", ...Object.values(apart)].join("\n")
  const missing = [...commands.keys()].filter((name) => !new RegExp(`^/${name}( |$)`, "m").test(said))
  expect(missing).toEqual([])
})

test.each(["all", "forked", ...Object.keys(apart)])("session %s is valid ACP and shows its transcript", (id) => {
  const events = logs[id] ?? []
  expect(foldLog(events)).toEqual(transcripts[id])
  expect(transcripts[id]).not.toEqual([])
  expect(wrongsOfLog(events)).toEqual([])
  expect(wrongsOfLog(events, sources)).toEqual([])
})

test("every call has an end, those that only stood for a request too", () => {
  for (const traits of Object.values(clients)) {
    const tools = [...new Editor().show(projectLog(logs.all ?? [], traits)).tools.values()]
    expect(tools.length).toBeGreaterThan(5)
    expect(tools.filter(({ status }) => status !== "completed" && status !== "failed")).toEqual([])
  }
})

describe("in the session with everything", () => {
  const updates = (client = "full") =>
    projectLog(logs.all ?? [], clients[client] ?? ({} as never), sources).map(({ method, params }) => ({
      method,
      ...("update" in params ? (params.update as Record<string, unknown> & { sessionUpdate: string }) : params),
    }))
  const kinds = (client?: string) =>
    new Set(updates(client).map((each) => ("sessionUpdate" in each ? each.sessionUpdate : each.method)))

  test("every kind of envelope occurs", () => {
    const always = [
      ...["user_message_chunk", "agent_message_chunk", "agent_thought_chunk", "tool_call", "tool_call_update", "plan"],
      ...["usage_update", "session_info_update", "current_mode_update", "config_option_update"],
      ...["available_commands_update", "session/request_permission", "$/cancel_request"],
      ...["_sandboxagent/session/ended", "_sandboxagent/agent/unparsed"],
    ]
    expect(kinds("plain")).toEqual(new Set(always))
    expect(kinds("full")).toEqual(new Set([...always, "elicitation/create"]))
  })

  test("a permission that the mode decides is not asked for", () => {
    const asked = updates().flatMap((each) => (each.method === "session/request_permission" ? [each] : []))
    expect(JSON.stringify(asked)).toContain("echo allowed")
    expect(JSON.stringify(asked)).not.toContain("nobody is asked")
  })

  test("the output of a command streams, and is there whole at its end", () => {
    const editor = new Editor().show(projectLog(logs.all ?? [], clients.plain ?? ({} as never)))
    const run = [...editor.tools.values()].find(({ rawOutput }) => rawOutput === "one\ntwo\nthree\n")
    expect(run).toMatchObject({ streamed: "one\ntwo\nthree\n", status: "completed", kind: "execute" })
  })

  test("edits are diffs of the two texts, with the place", () => {
    const edits = updates().filter((each) => JSON.stringify(each).includes('"diff"'))
    expect(edits.flatMap((each) => ("content" in each ? each.content : []))).toMatchObject([
      { type: "content" },
      { type: "diff", path: join(daemon.dataDir, "notes.txt"), oldText: "before\nkept\n", newText: "after" },
      { type: "content" },
      { type: "diff", path: join(daemon.dataDir, "made.txt"), oldText: null, newText: "new" },
    ])
  })

  test("pictures come with their bytes", () => {
    const pictures = updates().filter((each) => JSON.stringify(each).includes('"type":"image"'))
    expect(pictures).toMatchObject([
      { sessionUpdate: "agent_message_chunk", content: { mimeType: "image/png" } },
      { sessionUpdate: "user_message_chunk", content: { mimeType: "image/png" } },
    ])
    expect(JSON.stringify(updates("plain"))).toContain("resource_link")
  })

  test("what a sub-agent does names the call that started it", () => {
    const task = updates().find((each) => "title" in each && each.title === "Count the files" && "rawInput" in each)
    const inner = updates().filter((each) => JSON.stringify(each).includes('"parentId"'))
    const { itemId } =
      (task as unknown as { _meta: Record<string, { itemId: string }> })._meta["sandboxagent.dev"] ?? {}
    expect(inner.filter((each) => JSON.stringify(each).includes(`"parentId":"${itemId}"`)).length).toBeGreaterThan(3)
  })
})

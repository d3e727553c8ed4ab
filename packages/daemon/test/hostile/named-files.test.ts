import { execFileSync } from "node:child_process"
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { limits } from "@sandbox-agent/schema/limits"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { scratch, type TestDaemon } from "../harness/daemon.ts"
import { answersIn, play, startPuppet } from "./puppet.ts"
import type { Step } from "./puppet-agent.ts"

const folder = scratch()
const outside = scratch()
const fifo = join(folder, "pipe")
let daemon: TestDaemon

beforeAll(async () => {
  execFileSync("mkfifo", [fifo])
  daemon = await startPuppet()
})
afterAll(async () => {
  await daemon?.stop()
})

const image = (path: string): Step => ({
  update: {
    sessionUpdate: "agent_message_chunk",
    messageId: path,
    content: { type: "image", mimeType: "image/png", uri: `file://${path}` },
  },
})

const health = () => daemon.api.ok("GET", "/v1/health")

/** Creating needs threads of the daemon for files: it hangs when all of them wait for something. */
async function begin(id: string): Promise<string> {
  await daemon.api.create(id, { agent: "puppet", directory: folder })
  return id
}

test("a picture that is a pipe, a device or a file of the kernel stays a path, and nothing waits for it", async () => {
  const id = await begin("pictures")
  const named = [fifo, "/dev/zero", "/proc/kmsg", "/proc/self/pagemap", folder]
  const turn = play(daemon, id, [...named.map(image), { say: '"done"' }])
  await health()
  const parts = (await turn).flatMap((event) => (event.type === "item.completed" ? event.data.item.content : []))
  expect(parts.filter((part) => part.type === "image")).toEqual(
    named.map((path) => ({ type: "image", mime: "image/png", path })),
  )
  expect(parts.at(-1)).toMatchObject({ type: "text", text: '"done"' })
})

test("a picture that is a file is kept, before anything that is said after it", async () => {
  const id = await begin("kept")
  const bytes = Buffer.from("not really a picture")
  const path = join(folder, "a.png")
  writeFileSync(path, bytes)
  const words = Array.from({ length: 200 }, (_, i): Step => ({ say: String(i) }))
  const events = await play(daemon, id, [{ say: '"before"' }, image(path), ...words, image(path), { say: '"after"' }])
  const completed = events.flatMap((event) => (event.type === "item.completed" ? [event.data.item] : []))
  const reported = completed.filter(({ role }) => role === "assistant").map(({ content: [part] }) => part)
  const picture = { type: "image", path, mime: "image/png", blob: expect.any(String) }
  const text = (said: string) => ({ type: "text", text: said })
  expect(reported).toEqual([
    ...[text('"before"'), picture],
    ...words.map((_, i) => text(String(i))),
    ...[picture, text('"after"')],
  ])
  const { blob } = reported[1] as { blob: string }
  expect(await daemon.api.blob(id, blob)).toEqual(bytes)
  // What was said while it was read still belongs to the agent's own lines.
  const sources = events.flatMap(({ type, source }) => (type === "item.completed" ? [source] : []))
  expect(new Set(sources.slice(1, -1))).toEqual(new Set(["agent"]))
})

test("an agent that writes to a pipe through us gets an error, however often it tries", async () => {
  const id = await begin("pipes")
  const write: Step = { request: "fs/write_text_file", params: { path: fifo, content: "x" } }
  const read: Step = { request: "fs/read_text_file", params: { path: fifo } }
  const events = await play(daemon, id, [...Array<Step>(12).fill(write), ...Array<Step>(12).fill(read)])
  const answers = answersIn(events)
  expect(answers).toHaveLength(24)
  for (const answer of answers) expect(answer).toMatchObject({ message: expect.stringContaining("regular file") })
  await begin("after-pipes")
})

test("attachments that are no plain files are refused", async () => {
  const id = await begin("attached")
  const path = (named: string) => Array.from({ length: limits.messageAttachments }, () => ({ path: named }))
  for (const named of ["/proc/kmsg", "/proc/self/pagemap", "/dev/zero", fifo, folder]) {
    const body = { message: "look", attachments: path(named) }
    expect(await daemon.api.call("POST", `/v1/sessions/${id}/messages`, body)).toMatchObject({
      status: 400,
      body: { detail: expect.stringContaining("is not a regular file") },
    })
  }
  await health()
  await begin("after-attached")
})

test("an attachment is stored under a name of ours, whatever it is called", async () => {
  const id = await begin("named")
  const path = join(folder, "b.png")
  writeFileSync(path, "picture")
  const before = readFileSync(join(daemon.dataDir, "agents.json"), "utf8")
  const names = ["../../../../x.png", "../../../agents.json", "/etc/x.png", "..", "a/../../b.png", ".", "x\ny.png"]
  const data = Buffer.from("picture").toString("base64")
  for (const filename of names)
    await daemon.api.send(id, "[]", {
      attachments: [
        { path, mime: "image/png", filename },
        { data, mime: "image/png", filename },
      ],
    })
  const stored = readdirSync(join(daemon.dataDir, "attachments"), { recursive: true }).map(String)
  expect(stored.filter((name) => /^\d+(\/[0-9a-f]{16}(\/[A-Za-z0-9._-]+)?)?$/.test(name))).toEqual(stored)
  expect(readFileSync(join(daemon.dataDir, "agents.json"), "utf8")).toBe(before)
  expect(readdirSync(daemon.dataDir)).not.toContain("x.png")
})

describe("files that an agent has us open", () => {
  const read = (path: string): Step => ({ request: "fs/read_text_file", params: { path } })
  const write = (path: string): Step => ({ request: "fs/write_text_file", params: { path, content: "changed" } })
  const refused = { code: expect.any(Number), message: expect.any(String) }

  test("those of its session it has", async () => {
    const id = await begin("own-files")
    writeFileSync(join(folder, "mine.txt"), "mine")
    const steps = [read(join(folder, "mine.txt")), write(join(folder, "deep", "er", "new.txt"))]
    expect(answersIn(await play(daemon, id, steps))).toEqual([{ content: "mine" }, {}])
    expect(readFileSync(join(folder, "deep", "er", "new.txt"), "utf8")).toBe("changed")
  })

  test("those of the daemon and of the kernel it never gets, by no name", async () => {
    const id = await begin("never-files")
    const agents = readFileSync(join(daemon.dataDir, "agents.json"), "utf8")
    symlinkSync(daemon.dataDir, join(folder, "data"))
    const steps = [
      ...[join(daemon.dataDir, "daemon.json"), join(folder, "data", "daemon.json")].map(read),
      ...["/proc/self/environ", "/proc/1/environ", "/sys/kernel/uevent_seqnum"].map(read),
      ...[join(daemon.dataDir, "agents.json"), join(folder, "data", "agents.json")].map(write),
      ...[join(daemon.dataDir, "new"), join(folder, "data", "deep", "new"), "/proc/self/comm"].map(write),
    ]
    const events = await play(daemon, id, steps)
    expect(answersIn(events)).toEqual(steps.map(() => refused))
    expect(events.filter(({ type }) => type === "permission.requested")).toEqual([])
    expect(readFileSync(join(daemon.dataDir, "agents.json"), "utf8")).toBe(agents)
    expect(readdirSync(daemon.dataDir)).not.toContain("deep")
  })

  test("others a person allows once, for the session, or not", async () => {
    const id = await begin("other-files")
    const [other, link] = [join(outside, "other.txt"), join(folder, "link.txt")]
    writeFileSync(other, "other")
    symlinkSync(other, link)
    const turn = play(daemon, id, [read(other), read(link), write(other), write(other)])
    const replies = ["once", "reject", "always"] as const
    let seen = 0
    for (const reply of replies) {
      const { data, sequence } = await daemon.api.until(id, "permission.requested", undefined, seen)
      seen = sequence
      await daemon.api.reply(id, data, reply)
    }
    const events = await turn
    expect(answersIn(events)).toEqual([{ content: "other" }, refused, {}, {}])
    expect(events.flatMap((event) => (event.type === "permission.resolved" ? [event.data] : []))).toMatchObject([
      { action: `Read ${other}`, kind: "other", status: "accept", by: "client" },
      { action: `Read ${link}`, kind: "other", status: "reject", by: "client" },
      { action: `Write ${other}`, kind: "file_change", status: "accept_for_session", by: "client" },
      { action: `Write ${other}`, kind: "file_change", status: "accept", by: "rule" },
    ])
    expect(readFileSync(other, "utf8")).toBe("changed")
  })

  test("a turn that is cancelled leaves no request for a file open", async () => {
    const id = await begin("cancelled-file")
    const turn = play(daemon, id, [read(join(outside, "other.txt"))])
    await daemon.api.until(id, "permission.requested")
    await daemon.api.cancel(id)
    expect((await turn).at(-1)).toMatchObject({ type: "turn.ended", data: { stop_reason: "cancelled" } })
    expect(await daemon.api.ok("GET", `/v1/sessions/${id}/pending`)).toEqual({ permissions: [], questions: [] })
  })
})

test("--fs-root confines sessions, attachments, pictures and files of agents, also through links", async () => {
  const root = scratch()
  const inside = join(root, "work")
  mkdirSync(inside)
  writeFileSync(join(outside, "secret.png"), "secret")
  symlinkSync(outside, join(inside, "way-out"))
  await using confined = await startPuppet(["--fs-root", root])
  const create = (directory: string) => confined.api.call("POST", "/v1/sessions/there", { agent: "puppet", directory })
  for (const directory of [outside, "/", join(inside, "way-out")])
    expect(await create(directory)).toMatchObject({
      status: 403,
      body: { type: expect.stringMatching(/permission_denied$/) },
    })
  expect(await create(inside)).toMatchObject({ status: 201 })

  const secrets = [join(outside, "secret.png"), join(inside, "way-out", "secret.png"), "/etc/shadow"]
  for (const path of secrets) {
    const body = { message: "[]", attachments: [{ path }] }
    expect(await confined.api.call("POST", "/v1/sessions/there/messages", body)).toMatchObject({ status: 403 })
  }
  const events = await play(confined, "there", [
    ...secrets.map(image),
    ...secrets.map((path): Step => ({ request: "fs/read_text_file", params: { path } })),
    { request: "fs/write_text_file", params: { path: join(inside, "way-out", "new.txt"), content: "x" } },
  ])
  const items = events.flatMap((event) => (event.type === "item.completed" ? event.data.item.content : []))
  expect(items.filter((part) => part.type === "image" && part.blob !== undefined)).toEqual([])
  const denied = answersIn(events).map((answer) => /outside the folders/.test(String(answer.message)))
  expect(denied).toEqual([true, true, true, true])
  expect(existsSync(join(outside, "new.txt"))).toBe(false)
})

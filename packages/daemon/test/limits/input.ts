import { rmSync, writeFileSync } from "node:fs"
import { connect } from "node:net"
import { join } from "node:path"
import { limits } from "@sandbox-agent/schema/limits"
import { afterAll, beforeAll, expect } from "vitest"
import { assertSkills } from "../../src/core/skills.ts"
import { Confinement } from "../../src/files/confinement.ts"
import { scratch, startDaemon, type TestDaemon } from "../harness/daemon.ts"
import { overfill } from "./overfill.ts"

/** What clients send, one over each limit, to a real daemon; and that exactly at the limit it still passes. */
let daemon: TestDaemon
beforeAll(async () => {
  daemon = await startDaemon()
  await daemon.api.create("one")
})
afterAll(() => daemon[Symbol.asyncDispose]())

const post = (body: object, id = "one") =>
  daemon.api.call<{ detail: string; limit?: number }>("POST", `/v1/sessions/${id}/messages`, body)
const create = (id: string, body: object) =>
  daemon.api.call<{ detail: string }>("POST", `/v1/sessions/${id}`, { agent: "mock", ...body })
const text = (length: number) => "x".repeat(length)

overfill(["requestBodyBytes"], "a larger body is refused, declared or not", async () => {
  const body = JSON.stringify({ message: text(limits.requestBodyBytes) })
  const declared = await daemon.api.call<{ limit: number }>("POST", "/v1/sessions/one/messages", body)
  expect([declared.status, declared.body.limit]).toEqual([413, limits.requestBodyBytes])
  const chunks = new ReadableStream({
    start(controller) {
      controller.enqueue(new TextEncoder().encode(body))
      controller.close()
    },
  })
  const headers = { ...daemon.api.headers, "content-type": "application/json" }
  const streamed = await fetch(`${daemon.url}/v1/sessions/one/messages`, { method: "POST", headers, body: chunks })
  expect(streamed.status).toBe(413)
})

overfill(
  ["restoredItems", "restoredBlobs", "briefDecisions"],
  "more are refused, at the limit they are taken",
  async () => {
    const item = { item_id: "i", kind: "status", status: "completed", content: [] }
    const permission = {
      permission_id: "p",
      action: "ls",
      status: "accept",
      kind: "command",
      choices: [],
      by: "client",
    }
    const restore = (items: number, decisions = 0, blobs = 0) =>
      daemon.api.call("POST", "/v1/sessions/restored/restore", {
        agent: "mock",
        items: Array(items).fill(item),
        decisions: Array(decisions).fill(permission),
        blobs: Array(blobs).fill({ mime: "image/png", data: "AA==" }),
      })
    expect((await restore(limits.restoredItems + 1)).status).toBe(400)
    expect((await restore(1, limits.briefDecisions + 1)).status).toBe(400)
    expect((await restore(1, 0, limits.restoredBlobs + 1)).status).toBe(400)
    expect((await restore(limits.restoredItems, limits.briefDecisions, limits.restoredBlobs)).status).toBe(201)
  },
)

overfill(["nativeStateBytes", "nativeStateSentBytes"], "a larger record is refused, in and out", async () => {
  const restore = (bytes: number, fill: "same" | "any") => {
    const record = fill === "same" ? Buffer.alloc(bytes, 0x0a) : Buffer.from(crypto.getRandomValues(new Uint8Array(64)))
    const data = fill === "same" ? Buffer.from(Bun.gzipSync(record)) : Buffer.alloc(bytes, record)
    const body = { agent: "mock", items: [], nativeSessionId: "carried", nativeState: data.toString("base64") }
    return daemon.api.call("POST", "/v1/sessions/carried/restore", body)
  }
  expect((await restore(limits.nativeStateBytes + 1, "same")).status).toBe(400)
  expect((await restore(limits.nativeStateSentBytes + 3, "any")).status).toBe(400)
  expect((await restore(limits.nativeStateBytes, "same")).status).toBe(201)
  const { session } = await daemon.api.create("record")
  await daemon.api.turn("record", "hello")
  const file = join(daemon.dataDir, "agents/mock/sessions", `${session.nativeSessionId}.jsonl`)
  const state = async () => (await daemon.api.call("GET", "/v1/sessions/record/native-state")).status
  expect(await state()).toBe(200)
  writeFileSync(file, Buffer.alloc(limits.nativeStateBytes + 1))
  expect(await state()).toBe(413)
  const noise = Buffer.alloc(limits.nativeStateSentBytes + 100_000)
  for (let at = 0; at < noise.length; at += 65_536) crypto.getRandomValues(noise.subarray(at, at + 65_536))
  writeFileSync(file, noise)
  expect(await state()).toBe(413)
})

overfill(["requestBodyDepth"], "deeper nesting is refused", async () => {
  const nested = (depth: number) => ({ metadata: JSON.parse(`${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`) })
  const patch = (depth: number) => daemon.api.call("PATCH", "/v1/sessions/one", nested(depth))
  expect((await patch(limits.requestBodyDepth - 2)).status).toBe(200)
  expect((await patch(limits.requestBodyDepth + 1)).status).toBe(400)
})

overfill(["messageTextBytes"], "a longer text is refused, at the limit it is taken", async () => {
  expect((await post({ message: text(limits.messageTextBytes + 1) })).status).toBe(400)
  await daemon.api.create("long")
  expect((await post({ message: text(limits.messageTextBytes) }, "long")).status).toBe(202)
  await daemon.api.until("long", "turn.ended")
})

overfill(["messageTextBytes", "metadataBytes"], "bytes are counted, not characters", async () => {
  const wide = (bytes: number) => "€".repeat(Math.ceil(bytes / 3))
  expect((await post({ message: wide(limits.messageTextBytes + 3) })).status).toBe(400)
  expect((await create("wide-metadata", { metadata: { a: wide(limits.metadataBytes) } })).status).toBe(400)
  expect((await create("wide-metadata", { metadata: { a: wide(limits.metadataBytes - 100) } })).status).toBe(201)
})

/** A body of so many bytes that never ends. */
async function unfinished(bytes: number, at: TestDaemon = daemon): Promise<{ answered: Promise<string>; end(): void }> {
  const { hostname, port } = new URL(at.url)
  const socket = connect(Number(port), hostname)
  socket.on("error", () => {}) // it may be closed while it is written to
  const head = [
    "POST /v1/sessions/one/messages HTTP/1.1",
    `host: ${hostname}:${port}`,
    `authorization: Bearer ${at.token}`,
    "content-type: application/json",
    `content-length: ${limits.requestBodyBytes}`,
  ]
  let said = ""
  const answered = new Promise<string>((resolve) => {
    socket.on("data", (data) => {
      said += data
      const [top = "", body] = said.split("\r\n\r\n")
      const length = Number(/^content-length: (\d+)/im.exec(top)?.[1])
      if (body !== undefined && Buffer.byteLength(body) >= length) resolve(said)
    })
  })
  socket.write(`${head.join("\r\n")}\r\n\r\n`)
  await new Promise<void>((resolve) => socket.write(Buffer.alloc(bytes, " "), () => resolve()))
  return { answered, end: () => void socket.destroy() }
}

overfill(
  ["requestBodiesBytes"],
  "bodies that do not end hold no more than that, and who comes later is told when to return",
  async () => {
    const bytes = limits.requestBodyBytes - 1
    const count = Math.floor(limits.requestBodiesBytes / bytes)
    const open = await Promise.all(Array.from({ length: count + 4 }, () => unfinished(bytes)))
    const answer = await Promise.race(open.map(({ answered }) => answered))
    expect(answer).toMatch(/^HTTP\/1\.1 503 [\s\S]*retry-after: 1/i)
    await daemon.api.ok("GET", "/v1/health")
    for (const { end } of open) end()
    // Those that were cut off give their room back; a client that returns finds it.
    for (;;) {
      const { status } = await post({ message: text(1_000_000), messageId: "after" }, "one")
      if (status !== 503) return expect(status).toBe(202)
    }
  },
)

overfill(["requestBodyMs"], "a body that does not come is not waited for", async () => {
  await using hasty = await startDaemon({ intervals: { requestBodyMs: 100 } })
  for (const bytes of [10, limits.smallBodyBytes + 1]) {
    const { answered, end } = await unfinished(bytes, hasty)
    expect(await answered).toMatch(/^HTTP\/1\.1 400 [\s\S]*did not come within 100 ms/)
    end()
  }
  expect(limits.requestBodyMs).toBeGreaterThan(100)
})

overfill(
  ["smallBodyBytes"],
  "a body taken whole and a longer one read in parts are read alike, and refused alike",
  async () => {
    const frame = JSON.stringify({ message: "" }).length
    for (const bytes of [limits.smallBodyBytes, limits.smallBodyBytes + 1]) {
      const message = `${text(bytes - frame - 2)}é`
      const body = Buffer.from(JSON.stringify({ message }))
      expect(body.length).toBe(bytes)
      const send = (given: Buffer) =>
        fetch(`${daemon.url}/v1/sessions/${bytes}/messages/stream`, {
          method: "POST",
          headers: { ...daemon.api.headers, "content-type": "application/json" },
          body: given,
        })
      await daemon.api.create(String(bytes))
      expect(await (await send(body)).text()).toContain("turn.ended")
      const { items } = await daemon.api.ok<{ items: { content: { text: string }[] }[] }>(
        "GET",
        `/v1/sessions/${bytes}/items`,
      )
      expect(items[0]?.content[0]?.text).toBe(message)
      // The last character cut in two is no text.
      const cut = await send(Buffer.concat([body.subarray(0, -3), Buffer.from('"}')]))
      expect([cut.status, await cut.json()]).toMatchObject([
        400,
        { detail: "the body is not UTF-8 text or was cut off" },
      ])
    }
  },
)

overfill(["messageAttachments"], "one more is refused", async () => {
  const attachments = (count: number) => Array.from({ length: count }, () => ({ data: "aGk=", filename: "a.txt" }))
  expect((await post({ message: "hi", attachments: attachments(limits.messageAttachments + 1) })).status).toBe(400)
  expect((await post({ message: "hi", attachments: attachments(limits.messageAttachments) })).status).toBe(202)
})

overfill(["attachmentBytes"], "a larger one is refused, given or fetched", async () => {
  const bytes = Buffer.alloc(limits.attachmentBytes + 1)
  const given = await post({ message: "hi", attachments: [{ data: bytes.toString("base64") }] })
  expect([given.status, given.body.limit]).toEqual([413, limits.attachmentBytes])
  using server = Bun.serve({ port: 0, fetch: () => new Response(bytes) })
  const url = `http://127.0.0.1:${server.port}/a.bin`
  const fetched = await post({ message: "hi", attachments: [{ url }] })
  expect([fetched.status, fetched.body.limit]).toEqual([413, limits.attachmentBytes])
})

overfill(["metadataBytes", "titleChars", "envEntries"], "one more is refused and no session is made", async () => {
  const entries = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`NAME_${i}`, "x"]))
  const over = {
    metadata: { metadata: { a: text(limits.metadataBytes) } },
    title: { title: text(limits.titleChars + 1) },
    env: { env: entries(limits.envEntries + 1) },
  }
  for (const [field, body] of Object.entries(over)) {
    const answer = await create("refused", body)
    expect([answer.status, answer.body.detail], field).toEqual([400, expect.stringContaining(field)])
  }
  expect((await daemon.api.call("GET", "/v1/sessions/refused")).status).toBe(404)
  const full = {
    metadata: { a: text(limits.metadataBytes - 8) },
    title: text(limits.titleChars),
    env: entries(limits.envEntries),
  }
  expect((await create("full", full)).status).toBe(201)
})

overfill(["queuedMessages"], "the next one is too many, and nothing of it is kept", async () => {
  await daemon.api.create("queue")
  await daemon.api.send("queue", "/sleep 600000")
  await daemon.api.until("queue", "turn.started")
  for (let i = 0; i < limits.queuedMessages; i++) await daemon.api.send("queue", `${i}`)
  const refused = await post({ message: "one more", messageId: "over" }, "queue")
  expect([refused.status, refused.body.limit]).toEqual([429, limits.queuedMessages])
  expect((await daemon.api.session("queue")).queue).toHaveLength(limits.queuedMessages)
  await daemon.api.ok("POST", "/v1/sessions/queue/cancel", { queue: true })
  expect((await post({ message: "again", messageId: "over" }, "queue")).status).toBe(202)
})

overfill(["eventsPage", "eventsPageDefault"], "no page is longer, a larger limit is refused", async () => {
  await daemon.api.create("events")
  await daemon.api.turn("events", "/stream 1500")
  const page = (query: string) => daemon.api.call<{ events: unknown[] }>("GET", `/v1/sessions/events/events${query}`)
  expect((await page("")).body.events).toHaveLength(limits.eventsPageDefault)
  expect((await page(`?limit=${limits.eventsPage}`)).body.events).toHaveLength(limits.eventsPage)
  expect((await page(`?limit=${limits.eventsPage + 1}`)).status).toBe(400)
})

overfill(["sessionsPage"], "a larger limit is refused", async () => {
  expect((await daemon.api.call("GET", `/v1/sessions?limit=${limits.sessionsPage + 1}`)).status).toBe(400)
  expect((await daemon.api.call("GET", `/v1/sessions?limit=${limits.sessionsPage}`)).status).toBe(200)
})

overfill(["eventsPageChars"], "a page of long events ends early, and paging on misses none", async () => {
  await daemon.api.create("wide")
  const deltas = 100
  await daemon.api.turn("wide", `/stream ${deltas} ${Math.ceil((1.5 * limits.eventsPageChars) / deltas)}`)
  const first = await daemon.api.ok<{ events: unknown[]; hasMore: boolean }>(
    "GET",
    "/v1/sessions/wide/events?limit=1000",
  )
  const all = await daemon.api.events("wide")
  expect(first.hasMore).toBe(true)
  expect(first.events.length).toBeLessThan(all.length)
  expect(all.map((event) => event.sequence)).toEqual(all.map((_, i) => i + 1))
  expect(all.filter((event) => event.type === "item.delta")).toHaveLength(deltas)
})

const anywhere = { files: new Confinement() }

overfill(["skillHeadBytes"], "a head that does not end within it is none", async () => {
  const directory = scratch()
  const skill = async (bytes: number) => {
    const [begin, end] = ["---\nname: s\ndescription: ", "\n---"]
    writeFileSync(join(directory, "SKILL.md"), `${begin}${text(bytes - begin.length - end.length)}${end}\nDo it.`)
    await assertSkills([{ name: "s", path: directory }], "/", anywhere)
  }
  await skill(limits.skillHeadBytes)
  await expect(skill(limits.skillHeadBytes + 1)).rejects.toMatchObject({ code: "invalid_request" })
  const given = (description: string) => [{ name: "s", content: `---\nname: s\ndescription: ${description}\n---\n` }]
  await assertSkills(given("ü".repeat(limits.skillHeadBytes / 2 - 30)), "/", anywhere)
  await expect(assertSkills(given("ü".repeat(limits.skillHeadBytes / 2)), "/", anywhere)).rejects.toMatchObject({
    code: "invalid_request",
  })
  rmSync(directory, { recursive: true })
})

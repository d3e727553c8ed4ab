import { cpSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { limits } from "@sandbox-agent/schema/limits"
import type { Session } from "@sandbox-agent/schema/session"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { type CheckedDaemon, startChecked } from "./checked-api.ts"
import { expectProblem } from "./contract-check.ts"
import { ofType, textOf } from "./transcript.ts"

let old: CheckedDaemon
let fresh: CheckedDaemon
beforeAll(async () => {
  old = await startChecked()
  fresh = await startChecked()
})
afterAll(() => Promise.all([old.finish(), fresh.finish()]))

interface Restored {
  healthy: boolean
  session: Session
  context?: "native" | "rebuilt"
}
const restore = (id: string, past: { items: readonly unknown[] }, more: object = {}) =>
  fresh.api.ok<Restored>("POST", `/v1/sessions/${id}/restore`, { agent: "mock", ...past, ...more })

/** What the mock was told of a session, from the file it keeps of it. */
function briefOf({ session }: Restored): string | undefined {
  const file = join(fresh.dataDir, "agents/mock/sessions", `${session.nativeSessionId}.jsonl`)
  const [line = "{}"] = readFileSync(file, "utf8").split("\n")
  return JSON.parse(line).brief
}

/** What a client can know of a session. */
async function pastOf(id: string) {
  const events = await old.api.events(id)
  const { items } = await old.api.items(id)
  const plan = ofType(events, "plan.updated").at(-1)?.data.entries
  return { items, plan, decisions: ofType(events, "permission.resolved").map(({ data }) => data) }
}

describe("restore", () => {
  test("the new log begins with the items, and the agent is told of them in a brief", async () => {
    await old.api.create("s", { title: "Fruit" })
    await old.api.turn("s", "papaya\n/tool Look {}\n/todo")
    const asked = old.api.turn("s", "/permission rm -rf mango")
    const { permission_id } = await old.api.permission("s")
    const reply = { reply: "reject", message: "never mangoes" }
    await old.api.ok("POST", `/v1/sessions/s/permissions/${permission_id}/reply`, reply)
    await asked
    const restored = await restore("s", await pastOf("s"), {
      title: "Fruit",
      metadata: { a: 1 },
      nativeSessionId: "long gone",
    })
    expect(restored).toMatchObject({ healthy: true, context: "rebuilt", session: { id: "s", title: "Fruit" } })
    const log = await fresh.api.events("s")
    expect(ofType(log, "session.started").map(({ data }) => data)).toEqual([{ metadata: { a: 1 }, restored: true }])
    const shape = (api: CheckedDaemon["api"]) =>
      api
        .items("s")
        .then(({ items }) => items.map(({ kind, role, status, content }) => ({ kind, role, status, content })))
    expect(await shape(fresh.api)).toEqual(await shape(old.api))
    const replayed = log.filter(({ type }) => type.startsWith("item.") || type === "plan.updated")
    expect(replayed.length).toBeGreaterThan(5)
    expect(replayed.every((event) => event.replayed && event.source === "daemon")).toBe(true)
    const told = ofType(log, "session.updated").flatMap(({ data }) => (data.context === "rebuilt" ? [data.reason] : []))
    expect(told).toHaveLength(1)

    expect(textOf(await fresh.api.turn("s", "on we go"))).toBe("on we go")
    const brief = briefOf(restored)
    expect(brief).toContain("papaya")
    expect(brief).toContain("[tool Look: {}]")
    expect(brief).toContain("never mangoes")
    expect(brief).toMatch(/## Plan\n\n- \[/)
    // It can be forked and restored again.
    expect((await fresh.api.call("POST", "/v1/sessions/s/fork", { id: "s-fork" })).status).toBe(201)
  })

  test("where the agent still has its own session, it goes on in that", async () => {
    await old.api.create("native")
    await old.api.turn("native", "first words")
    const past = await pastOf("native")
    cpSync(join(old.dataDir, "agents/mock"), join(fresh.dataDir, "agents/mock"), { recursive: true })
    const { nativeSessionId } = await old.api.session("native")
    const restored = await restore("native", past, { nativeSessionId })
    expect(restored).toMatchObject({ healthy: true, context: "native", session: { nativeSessionId } })
    await fresh.api.turn("native", "more words")
    expect(briefOf(restored)).toBeUndefined()
    const files = readdirSync(join(fresh.dataDir, "agents/mock/sessions"))
    const file = files.find((name) => name.startsWith(nativeSessionId ?? "-")) ?? ""
    const kept = readFileSync(join(fresh.dataDir, "agents/mock/sessions", file), "utf8")
    expect(kept).toMatch(/first words[\s\S]*more words/)
    // What one session has, another one does not share.
    const second = await restore("second", past, { nativeSessionId })
    expect(second).toMatchObject({ healthy: true, context: "rebuilt" })
    expect(second.session.nativeSessionId).not.toBe(nativeSessionId)
  })

  test("a session in which nothing was said begins empty", async () => {
    const restored = await restore("empty", { items: [] })
    expect(restored.healthy).toBe(true)
    expect(restored.context).toBeUndefined()
    expect(await fresh.api.items("empty")).toMatchObject({ items: [] })
    expect(textOf(await fresh.api.turn("empty", "hello"))).toBe("hello")
    expect(briefOf(restored)).toBeUndefined()
  })

  test("pictures that come with the items are served, also large ones; others are named without", async () => {
    const bytes = [Buffer.from("\x89PNG and so on", "latin1"), Buffer.alloc(15 * 1024 * 1024, 7)]
    const blobs = bytes.map((one) => ({ mime: "image/png", data: one.toString("base64") }))
    const hashes = bytes.map((one) => new Bun.CryptoHasher("sha256").update(one).digest("hex"))
    const content = [...hashes, "a".repeat(64)].map((blob) => ({ type: "image", blob, mime: "image/png" }))
    const item = { item_id: "i", kind: "message", role: "user", status: "completed", content }
    await restore("pictures", { items: [item] }, { blobs })
    const { items } = await fresh.api.items("pictures")
    expect(items[0]?.content).toEqual([content[0], content[1], { type: "image", mime: "image/png" }])
    for (const [at, hash] of hashes.entries()) {
      const answer = await fetch(`${fresh.url}/v1/sessions/pictures/blobs/${hash}`, { headers: fresh.api.headers })
      expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "image/png"])
      expect(bytes[at]?.equals(Buffer.from(await answer.arrayBuffer()))).toBe(true)
    }
  })

  test("what nobody can read is refused, and leaves no session", async () => {
    const item = { item_id: "i", kind: "message", role: "user", status: "completed" }
    await restore("taken", { items: [] })
    const long = [{ type: "text", text: "x".repeat(limits.itemTextBytes + limits.eventBytes) }]
    const plan = [{ content: "x".repeat(limits.eventBytes), status: "pending" }]
    const refused = [
      { items: [item] },
      { items: [{ ...item, content: long }] },
      { items: [], plan },
      { items: [], error: { code: "overloaded", message: "x".repeat(limits.eventBytes) } },
      { items: [], error: { message: "no code" } },
      { items: [], decisions: [{ by: "client" }] },
      { items: [], blobs: [{ mime: "image/png", data: "not base64!" }] },
      { items: [], blobs: [{ mime: "no type", data: "" }] },
      { items: [], directory: "/nowhere/at/all" },
      {},
    ]
    for (const body of refused) {
      const answer = await fresh.api.call("POST", "/v1/sessions/refused/restore", { agent: "mock", ...body })
      expectProblem(answer, "invalid_request")
      expectProblem(await fresh.api.call("GET", "/v1/sessions/refused"), "session_not_found")
    }
    const taken = await fresh.api.call("POST", "/v1/sessions/taken/restore", { agent: "mock", items: [] })
    expectProblem(taken, "session_already_exists")
  })
})

test("the record of a session that is known already is not sent again", async () => {
  await old.api.create("tagged")
  await old.api.turn("tagged", "first")
  const ask = (etag?: string | null) =>
    fetch(`${old.url}/v1/sessions/tagged/native-state`, {
      headers: { authorization: `Bearer ${old.token}`, ...(etag && { "if-none-match": etag }) },
    })
  const first = await ask()
  const etag = first.headers.get("etag")
  expect(etag).toMatch(/^"[\w-]+"$/)
  expect(await first.json()).toMatchObject({ sequence: expect.any(Number), data: expect.any(String) })
  for (const known of [etag, `W/${etag}`, `"other", ${etag}`, "*"]) {
    const again = await ask(known)
    expect([again.status, again.headers.get("etag"), await again.text()]).toEqual([304, etag, ""])
  }
  expect((await ask('"other"')).status).toBe(200)
  await old.api.turn("tagged", "second")
  const later = await ask(etag)
  expect([later.status, later.headers.get("etag") === etag]).toEqual([200, false])
})

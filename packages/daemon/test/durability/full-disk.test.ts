import { readFileSync } from "node:fs"
import type { Event } from "@sandbox-agent/schema/event"
import { expect, test } from "vitest"
import { startDaemon, type TestDaemon } from "../harness/daemon.ts"
import { Follower, storedTexts } from "../streaming/follower.ts"
import { metricBecomes } from "../streaming/raw-stream.ts"
import { childrenOf, gone } from "../supervisor/processes.ts"
import { expectRowsEqualFold, keptDirectory, storedSessions, withDatabase } from "./database.ts"
import { faultsOf } from "./invariants.ts"

const MiB = 1024 * 1024
const rss = (pid: number): number =>
  Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "latin1"))?.[1]) * 1024

/** No event can tell that events cannot be written. */
async function idle({ api }: TestDaemon, id: string): Promise<void> {
  await expect.poll(async () => (await api.session(id)).status).toBe("idle")
}

const unavailable = { status: 503, type: "urn:sandbox-agent:error:unavailable" }

test("a full store ends the turns, refuses writes, goes on reading, and has everything that was acknowledged afterwards", async () => {
  const dataDir = keptDirectory()
  await using daemon = await startDaemon({ dataDir, flags: ["--max-store-bytes", String(3 * MiB)] })
  const { api } = daemon
  await api.create("asking")
  for (const id of ["one", "two"]) await api.create(id, { permissionMode: "bypass" })
  const accepted = new Map([
    ["one", [] as string[]],
    ["two", []],
  ])
  for (const id of accepted.keys())
    for (const text of ["first", "/run echo second"]) {
      await api.turn(id, text, { messageId: `${id}-${accepted.get(id)?.length}` })
      accepted.get(id)?.push(`${id}-${accepted.get(id)?.length}`)
    }
  await api.send("asking", "/permission echo x")
  const { data: asked } = await api.until("asking", "permission.requested")
  const before = rss(daemon.pid)
  const readers = [...accepted.keys()].map((id) => new Follower(id))
  const reads = readers.map((reader) => reader.read(api).catch(() => undefined))
  const agents = childrenOf(daemon.pid)
  // The first flood may have filled the store before the second begins: what is not taken is refused.
  for (const [id, messages] of accepted)
    for (const [messageId, message] of [
      [`${id}-flood`, "/stream 100000000 100"],
      [`${id}-queued`, "waits"],
    ] as const) {
      const sent = await api.call("POST", `/v1/sessions/${id}/messages`, { message, messageId })
      if (sent.status === 202) messages.push(messageId)
      else expect(sent.body).toMatchObject(unavailable)
    }
  for (const id of ["one", "two", "asking"]) await idle(daemon, id)
  // The agents are not left to do what nobody can record, though a kill takes a moment; the watcher stays.
  await metricBecomes(daemon, "agent_processes", 0)
  const living = new Set(childrenOf(daemon.pid))
  const ended = agents.filter((pid) => !living.has(pid))
  expect(ended.length).toBe(3)
  for (const pid of ended) await gone(pid)
  expect(rss(daemon.pid) - before).toBeLessThan(200 * MiB)

  for (const [method, path, body] of [
    ["POST", "/v1/sessions/one/messages", { message: "no room" }],
    ["POST", "/v1/sessions/one/messages/stream", { message: "no room" }],
    ["POST", "/v1/sessions/three", { agent: "mock" }],
    ["PATCH", "/v1/sessions/one", { title: "no room" }],
    ["POST", "/v1/sessions/one/cancel", {}],
    ["POST", "/v1/sessions/one/terminate", {}],
    ["POST", "/v1/sessions/one/fork", { id: "four" }],
  ] as const)
    expect((await api.call(method, path, body)).body, `${method} ${path}`).toMatchObject(unavailable)
  const late = await api.call("POST", `/v1/sessions/asking/permissions/${asked.permission_id}/reply`, { reply: "once" })
  expect([409, 503]).toContain(late.status)
  expect((await api.call("GET", "/v1/sessions/three")).status).toBe(404)

  expect(readers.some(({ texts }) => texts.length > 100)).toBe(true)
  for (const reader of readers) {
    const stored = await storedTexts(api, reader.id)
    expect(stored.startsWith(reader.texts.join(",")), reader.id).toBe(true)
    const replayed = new Follower(reader.id)
    await replayed.read(api, () => replayed.last === reader.last)
    expect(replayed.texts).toEqual(reader.texts)
    expect((await api.items(reader.id)).items.length).toBeGreaterThan(4)
  }
  expect((await api.ok<{ sessions: unknown[] }>("GET", "/v1/sessions")).sessions.length).toBe(3)
  expect(await daemon.stop()).toBe(0)
  await Promise.all(reads)

  await using roomy = await startDaemon({ dataDir, flags: ["--max-store-bytes", String(64 * MiB)] })
  for (const reader of readers) {
    const { id } = reader
    await roomy.api.turn(id, "there is room again", { messageId: `${id}-last` })
    expect((await storedTexts(roomy.api, id)).startsWith(reader.texts.join(",")), id).toBe(true)
    const log: Event[] = await roomy.api.events(id)
    expect(faultsOf(log)).toEqual([])
    const states = new Map(
      log.flatMap((event) =>
        event.type === "message.updated" ? [[event.data.message_id, event.data.state] as const] : [],
      ),
    )
    for (const message of accepted.get(id) ?? []) expect(["taken", "failed"], message).toContain(states.get(message))
    expect(states.get(`${id}-0`)).toBe("taken")
  }
  expect(await roomy.stop()).toBe(0)
  withDatabase(dataDir, (db) => {
    for (const session of storedSessions(db)) expectRowsEqualFold(db, session)
  })
}, 120_000)

test("a daemon that starts on a full store reads, refuses writes and stops cleanly", async () => {
  const dataDir = keptDirectory()
  await using first = await startDaemon({ dataDir })
  await first.api.create("one")
  await first.api.turn("one", "/stream 20000")
  await first.api.send("one", "/permission echo open")
  await first.api.until("one", "permission.requested")
  first.kill()
  await first.exited
  await using full = await startDaemon({ dataDir, flags: ["--max-store-bytes", String(MiB)] })
  expect((await full.api.events("one")).length).toBeGreaterThan(20_000)
  const refusal = await full.api.call("POST", "/v1/sessions/one/messages", { message: "/stream 100000" })
  if (refusal.status !== 202) expect(refusal.body).toMatchObject(unavailable)
  await idle(full, "one")
  expect(await full.stop()).toBe(0)
  await using roomy = await startDaemon({ dataDir })
  await roomy.api.turn("one", "on")
  expect(faultsOf(await roomy.api.events("one"))).toEqual([])
})

test.each(["running", "started on it"] as const)(
  "a full store is emptied by deleting (daemon %s)",
  async (when) => {
    const dataDir = keptDirectory()
    const flags = ["--max-store-bytes", String(3 * MiB)]
    await using daemon = await startDaemon({ dataDir, flags })
    for (const id of ["large", "small"]) await daemon.api.create(id)
    await daemon.api.turn("small", "first")
    await daemon.api.send("large", "/stream 100000000 100")
    await idle(daemon, "large")
    expect((await daemon.api.call("POST", "/v1/sessions/large/messages", { message: "no room" })).body).toMatchObject(
      unavailable,
    )
    let other: TestDaemon | undefined
    if (when === "started on it") {
      daemon.kill()
      await daemon.exited
      other = await startDaemon({ dataDir, flags })
    }
    const { api } = other ?? daemon
    await api.ok("DELETE", "/v1/sessions/large")
    expect((await api.call("GET", "/v1/sessions/large")).status).toBe(404)
    await api.turn("small", "there is room again")
    await api.create("large")
    await api.turn("large", "a new one of the same name")
    await (other ?? daemon).stop()
    withDatabase(dataDir, (db) => {
      for (const session of storedSessions(db)) expectRowsEqualFold(db, session)
      expect(storedSessions(db).map(({ id }) => id)).toEqual(["small", "large"])
    })
  },
  120_000,
)

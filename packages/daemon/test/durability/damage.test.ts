import { expect, test } from "vitest"
import { text, Wire } from "../acp/wire.ts"
import { startDaemon, type TestDaemon } from "../harness/daemon.ts"
import { sseEvents } from "../harness/sse.ts"
import { damageFrames } from "./damage.ts"
import { keptDirectory, withDatabase } from "./database.ts"

/** Two sessions with long logs in a file that no daemon has open. */
async function twoSessions(dataDir: string): Promise<void> {
  await using daemon = await startDaemon({ dataDir })
  for (const id of ["hurt", "whole"]) {
    await daemon.api.create(id)
    await daemon.api.turn(id, "/stream 3000")
  }
}

const stream = (daemon: TestDaemon, id: string, offset: number) =>
  fetch(`${daemon.url}/v1/sessions/${id}/events/sse?offset=${offset}`, {
    headers: { authorization: `Bearer ${daemon.token}` },
  })

const damaged = ({ first, last }: { first: number; last: number }) => ({
  type: "urn:sandbox-agent:error:internal",
  status: 500,
  firstDamaged: first,
  lastDamaged: last,
  offset: last,
})

test.each(["stopped", "running"] as const)(
  "damaged event text is told with its sequences, and everything else is read (daemon %s)",
  async (when) => {
    const dataDir = keptDirectory()
    await twoSessions(dataDir)
    let hurt = when === "stopped" ? damageFrames(dataDir, "hurt") : undefined
    await using daemon = await startDaemon({ dataDir })
    hurt ??= damageFrames(dataDir, "hurt")
    const { api } = daemon
    const { lastSequence } = await api.session("hurt")

    // By pages: all up to the damage, the error, all after it.
    const before = await api.ok<{ events: { sequence: number }[]; hasMore: boolean }>(
      "GET",
      `/v1/sessions/hurt/events?offset=${hurt.first - 3}&limit=1000`,
    )
    expect([before.events.map(({ sequence }) => sequence), before.hasMore]).toEqual([
      [hurt.first - 2, hurt.first - 1],
      true,
    ])
    const refused = await api.call("GET", `/v1/sessions/hurt/events?offset=${hurt.first - 1}`)
    expect([refused.status, refused.body]).toMatchObject([500, damaged(hurt)])
    const after = await api.events("hurt", "", hurt.last)
    expect(after.map(({ sequence }) => sequence)).toEqual(
      Array.from({ length: lastSequence - hurt.last }, (_, i) => hurt.last + 1 + i),
    )

    // By stream: the same, and its last frame is the error with the place to go on from.
    const frames: { id?: string; event?: string; data: string }[] = []
    for await (const frame of sseEvents(await stream(daemon, "hurt", 0))) frames.push(frame)
    const end = frames.pop()
    expect(frames.map(({ id }) => Number(id))).toEqual(Array.from({ length: hurt.first - 1 }, (_, i) => i + 1))
    expect([end?.event, end?.id, JSON.parse(end?.data ?? "{}")]).toMatchObject([
      "error",
      String(hurt.last),
      damaged(hurt),
    ])

    // The others, and the hurt one itself, go on.
    expect((await api.events("whole")).length).toBe((await api.session("whole")).lastSequence)
    await api.turn("whole", "hello")
    const events = await api.turn("hurt", "hello")
    expect(events.at(-1)).toMatchObject({ type: "turn.ended", data: { stop_reason: "end_turn" } })
    await expect.poll(() => daemon.stderr() + daemon.stdout()).toContain("damaged in the store")
  },
)

test("rows from before there were checksums are known by their form", async () => {
  const dataDir = keptDirectory()
  await twoSessions(dataDir)
  withDatabase(dataDir, (db) => db.run("UPDATE log SET sum = NULL, raw_sum = NULL"))
  const hurt = damageFrames(dataDir, "hurt")
  await using daemon = await startDaemon({ dataDir })
  const refused = await daemon.api.call("GET", `/v1/sessions/hurt/events?offset=${hurt.first - 1}`)
  expect([refused.status, refused.body]).toMatchObject([500, damaged(hurt)])
  expect((await daemon.api.events("hurt", "", hurt.last)).length).toBeGreaterThan(0)
  expect((await daemon.api.events("whole")).length).toBe((await daemon.api.session("whole")).lastSequence)
})

test("an ACP stream passes over damaged events and says which they were", async () => {
  const dataDir = keptDirectory()
  let from = ""
  let headers: Record<string, string> = {}
  {
    await using daemon = await startDaemon({ dataDir })
    const wire = new Wire(daemon)
    headers = { "acp-connection-id": await wire.initialize() }
    const connectionStream = await wire.stream(headers)
    const params = { cwd: "/tmp", mcpServers: [], _meta: { "sandboxagent.dev": { requestedSessionId: "hurt" } } }
    await wire.post({ jsonrpc: "2.0", id: 1, method: "session/new", params }, headers)
    await connectionStream.until(({ id }) => id === 1)
    headers["acp-session-id"] = "hurt"
    const received = await wire.stream(headers)
    const prompt = { sessionId: "hurt", prompt: text("/stream 3000") }
    await wire.post({ jsonrpc: "2.0", id: 2, method: "session/prompt", params: prompt }, headers)
    await received.until(({ id }) => id === 2)
    from = received.received[0]?.id ?? ""
  }
  const hurt = damageFrames(dataDir, "hurt")
  await using daemon = await startDaemon({ dataDir })
  const again = await new Wire(daemon).stream({ ...headers, "last-event-id": from })
  await again.until(({ id }) => id === 2)
  const notice = again.messages.filter(({ method }) => method === "_sandboxagent/store/damaged")
  expect(notice.map(({ params }) => params)).toMatchObject([
    { sessionId: "hurt", firstDamaged: hurt.first, lastDamaged: hurt.last },
  ])
  await again.cut()
})

test("a native line that is damaged is left out, its event is told", async () => {
  const dataDir = keptDirectory()
  await twoSessions(dataDir)
  const hurt = damageFrames(dataDir, "hurt", "raw_lines")
  await using daemon = await startDaemon({ dataDir })
  const events = await daemon.api.events("hurt", "&include_raw=true")
  expect(events.length).toBe((await daemon.api.session("hurt")).lastSequence)
  const without = events.filter(({ source, raw }) => source === "agent" && raw === undefined)
  expect(without.length).toBeGreaterThan(0)
  for (const { sequence } of without) expect([sequence >= hurt.first, sequence <= hurt.last]).toEqual([true, true])
})

test("a session whose row is damaged does not keep the others from starting, and can be deleted", async () => {
  const dataDir = keptDirectory()
  await twoSessions(dataDir)
  withDatabase(dataDir, (db) =>
    db.run("UPDATE sessions SET record = substr(record, 1, 40), status = 'running' WHERE id = 'hurt'"),
  )
  await using daemon = await startDaemon({ dataDir })
  const { api } = daemon
  expect(daemon.stdout() + daemon.stderr()).toContain("a session is damaged")
  const { sessions } = await api.ok<{ sessions: { id: string }[] }>("GET", "/v1/sessions")
  expect(sessions.map(({ id }) => id)).toEqual(["whole"])
  expect((await api.call("GET", "/v1/sessions/hurt")).body).toMatchObject({
    type: "urn:sandbox-agent:error:internal",
  })
  expect((await api.call("POST", "/v1/sessions/hurt", { agent: "mock" })).status).not.toBe(200)
  await api.turn("whole", "hello")
  await api.ok("DELETE", "/v1/sessions/hurt")
  expect((await api.call("GET", "/v1/sessions/hurt")).status).toBe(404)
  await api.create("hurt")
})

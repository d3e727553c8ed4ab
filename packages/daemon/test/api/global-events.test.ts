import { type GlobalEvent, GlobalEventSchema } from "@sandbox-agent/schema/global-event"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { sseEvents } from "../harness/sse.ts"
import { type CheckedDaemon, startChecked } from "./checked-api.ts"
import { expectExactly, expectProblem } from "./contract-check.ts"

let daemon: CheckedDaemon
beforeAll(async () => {
  daemon = await startChecked()
})
afterAll(() => daemon.finish())

async function* globalStream(query = "", headers: Record<string, string> = {}): AsyncGenerator<GlobalEvent> {
  const abort = new AbortController()
  try {
    const all = { ...daemon.api.headers, ...headers }
    const response = await fetch(`${daemon.url}/v1/events/sse${query}`, { headers: all, signal: abort.signal })
    expect(response.status).toBe(200)
    for await (const { id, data } of sseEvents(response)) {
      const event = JSON.parse(data) as GlobalEvent
      expectExactly(GlobalEventSchema, event, event.type)
      expect(id).toBe(String(event.sequence))
      yield event
    }
  } finally {
    abort.abort()
  }
}

/** Everything from the beginning up to the deletion of one session. */
async function untilDeleted(
  id: string,
  query = "?offset=0",
  headers: Record<string, string> = {},
): Promise<GlobalEvent[]> {
  const events: GlobalEvent[] = []
  for await (const event of globalStream(query, headers)) {
    events.push(event)
    if (event.type === "session.deleted" && event.session_id === id) return events
  }
  throw new Error("the stream ended")
}

/** One whole life, with everything the global log tells of it. */
async function live(id: string): Promise<void> {
  const { api } = daemon
  await api.create(id, { title: `Title of ${id}` })
  const turn = api.turn(id, "/permission true\n/question")
  const { permission_id } = await api.permission(id)
  await api.ok("POST", `/v1/sessions/${id}/permissions/${permission_id}/reply`, { reply: "once" })
  const { question_id } = await api.question(id)
  await api.ok("POST", `/v1/sessions/${id}/questions/${question_id}/reply`, { answers: [["Red"]] })
  await turn
  await api.ok("POST", `/v1/sessions/${id}/terminate`)
  await api.ok("DELETE", `/v1/sessions/${id}`)
}

describe("GET /v1/events/sse", () => {
  test("tells the life of a session in order", async () => {
    await live("life")
    const events = (await untilDeleted("life")).filter((event) => event.session_id === "life")
    const reported = events.map(({ type, data }) => {
      if (type === "session.status") return data.status
      if (type === "session.pending") return `pending ${String(data.permissions)}+${String(data.questions)}`
      return type
    })
    expect(reported).toEqual([
      "session.created",
      "idle",
      "running",
      "pending 1+0",
      "waiting",
      "pending 0+0",
      "running",
      "pending 0+1",
      "waiting",
      "pending 0+0",
      "running",
      "idle",
      "ended",
      "session.ended",
      "session.deleted",
    ])
    expect(events[0]?.data).toEqual({ agent: "mock" })
    expect(events.find((event) => event.type === "session.ended")?.data).toEqual({
      reason: "terminated",
      terminated_by: "daemon",
    })
  })

  test("tells what else lists show as it changes: title, metadata, and how many messages wait", async () => {
    const { api } = daemon
    const id = "listed"
    await api.create(id)
    await api.ok("PATCH", `/v1/sessions/${id}`, { title: "Seen in lists", metadata: { team: "blue" } })
    await api.ok("PATCH", `/v1/sessions/${id}`, { title: "Seen in lists" })
    await api.ok("PATCH", `/v1/sessions/${id}`, { agentMode: "plan" })
    // The first is sent at once and has not waited.
    for (const message of ["/sleep 600000", "/echo one", "/echo two", "/echo three"])
      await api.ok("POST", `/v1/sessions/${id}/messages`, { messageId: message.slice(1).replace(" ", "-"), message })
    await api.ok("DELETE", `/v1/sessions/${id}/messages/echo-one`)
    await api.ok("POST", `/v1/sessions/${id}/cancel`, { queue: true })
    await api.ok("DELETE", `/v1/sessions/${id}`)
    const told = (await untilDeleted(id)).flatMap((event) =>
      event.session_id === id && event.type === "session.updated" ? [event.data] : [],
    )
    expect(told).toEqual([{ changed: ["title", "metadata"] }, ...[1, 2, 3, 2, 0].map((queued) => ({ queued }))])
  })

  test("has no gaps over all sessions, and Last-Event-ID goes on exactly there", async () => {
    await Promise.all([live("a"), live("b"), live("c")])
    await live("last")
    const all = await untilDeleted("last")
    expect(all.map((event) => event.sequence)).toEqual(all.map((_, i) => i + 1))
    const middle = Math.floor(all.length / 2)
    expect(await untilDeleted("last", "", { "last-event-id": String(middle) })).toEqual(all.slice(middle))
    expect(await untilDeleted("last", "?offset=3", { "last-event-id": String(middle) })).toEqual(all.slice(middle))
    expect(await untilDeleted("last", `?offset=${all.length - 1}`)).toEqual(all.slice(-1))
  })

  test("without a place it starts now", async () => {
    await live("past")
    const { url, api } = daemon
    // With its answer the stream has its place: what is made after that is on it.
    const stream = sseEvents(await fetch(`${url}/v1/events/sse`, { headers: api.headers }))
    await live("present")
    const { value } = await stream.next()
    expect(JSON.parse(value?.data ?? "{}")).toMatchObject({ type: "session.created", session_id: "present" })
    await stream.return(undefined)
  })

  test("a place that is none is refused", async () => {
    const { api } = daemon
    for (const query of ["?offset=-1", "?offset=x", "?offset=99999999"])
      expectProblem(await api.call("GET", `/v1/events/sse${query}`), "invalid_request")
    expectProblem(await api.call("GET", "/v1/events/sse", undefined, { "last-event-id": "x" }), "invalid_request")
    expectProblem(await api.call("GET", "/v1/events/sse", undefined, { accept: "application/json" }), "not_acceptable")
  })
})

import type { Event } from "@sandbox-agent/schema/event"
import type { Session } from "@sandbox-agent/schema/session"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { startDaemon, type TestDaemon } from "../harness/daemon.ts"
import { sseEvents } from "../harness/sse.ts"
import { CheckedApi } from "./checked-api.ts"
import { expectProblem } from "./contract-check.ts"

let daemon: TestDaemon
let api: CheckedApi
let session: Session
beforeAll(async () => {
  daemon = await startDaemon({ flags: ["--retention-bytes", "1"], intervals: { tidyMs: 100 } })
  api = new CheckedApi(daemon.url, daemon.token)
  await api.create("old")
  await api.turn("old", "long ago")
  await api.turn("old", "a while ago", { messageId: "ended" })
  // Both turns: the first alone may be cut while the second runs.
  const isKept = () => session.firstSequence <= session.lastSequence
  for (session = await api.session("old"); isKept(); session = await api.session("old")) await Bun.sleep(50)
})
afterAll(() => daemon[Symbol.asyncDispose]())

describe("events that are no longer kept", () => {
  test("are gone, and the answer says where the log begins now", async () => {
    for (const path of ["events?offset=0", "events/sse?offset=0"]) {
      const answer = await api.call("GET", `/v1/sessions/old/${path}`)
      expectProblem(answer, "gone")
      expect(answer.body).toMatchObject({ firstSequence: session.firstSequence })
    }
    const resumed = await api.call("GET", "/v1/sessions/old/events/sse", undefined, { "last-event-id": "1" })
    expectProblem(resumed, "gone")
  })

  test("without an offset reading begins with what there is", async () => {
    const { events } = await api.ok<{ events: { sequence: number }[] }>("GET", "/v1/sessions/old/events")
    expect(events[0]?.sequence ?? session.lastSequence + 1).toBeGreaterThanOrEqual(session.firstSequence)
  })

  test("are gone for who posts a message of theirs again to follow it, and does not wait for ever", async () => {
    await api.create("taken-back")
    await api.send("taken-back", "/sleep 600000")
    await api.send("taken-back", "never mind", { messageId: "withdrawn" })
    await api.withdraw("taken-back", "withdrawn")
    await api.cancel("taken-back")
    for (let kept = true; kept; await Bun.sleep(50)) {
      const { firstSequence, lastSequence } = await api.session("taken-back")
      kept = firstSequence <= lastSequence
    }
    for (const [id, message, messageId] of [
      ["old", "a while ago", "ended"],
      ["taken-back", "never mind", "withdrawn"],
    ])
      expectProblem(await api.call("POST", `/v1/sessions/${id}/messages/stream`, { message, messageId }), "gone")
  })

  test("leave the folded transcript whole", async () => {
    const { items } = await api.items("old")
    const texts = items.flatMap((item) => item.content.map((part) => (part.type === "text" ? part.text : "")))
    expect(texts).toEqual(["long ago", "long ago", "a while ago", "a while ago"])
  })

  test("are not asked for by a client that reads items and then streams from their sequence", async () => {
    const { sequence } = await api.items("old")
    const place = `${api.url}/v1/sessions/old/events/sse?offset=${sequence}`
    // It reads before there is more: what comes is cut again in a moment.
    const stream = await fetch(place, { headers: api.headers })
    await api.send("old", "now")
    for await (const { id, data } of sseEvents(stream)) {
      expect(Number(id)).toBeGreaterThan(sequence)
      if ((JSON.parse(data) as Event).type === "turn.ended") return
    }
    throw new Error("the stream ended before the turn")
  })
})

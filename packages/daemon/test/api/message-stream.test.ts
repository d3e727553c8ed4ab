import type { Event } from "@sandbox-agent/schema/event"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { eventsInText, sseEvents } from "../harness/sse.ts"
import { type CheckedDaemon, startChecked } from "./checked-api.ts"
import { ofType, textOf } from "./transcript.ts"

let daemon: CheckedDaemon
beforeAll(async () => {
  daemon = await startChecked()
})
afterAll(() => daemon.finish())

async function busy(id: string): Promise<void> {
  await daemon.api.create(id)
  await daemon.api.send(id, "/sleep 600000")
  await daemon.api.asleep(id)
}

describe("messages/stream", () => {
  test("is the part of the log that is about the message, and ends with its turn", async () => {
    const { api } = daemon
    await api.create("whole")
    await api.turn("whole", "an earlier turn")
    const { lastSequence } = await api.session("whole")
    const events = await api.turn("whole", "two words\n/tool Look {}")
    expect(events.at(-1)?.type).toBe("turn.ended")
    const log = (await api.events("whole")).filter((event) => event.sequence > lastSequence)
    const end = log.findIndex((event) => event.type === "turn.ended")
    expect(events).toEqual(log.slice(0, end + 1))
  })

  test("frames carry the sequence as id, and nothing else than events", async () => {
    const { api } = daemon
    await api.create("frames")
    const response = await fetch(`${api.url}/v1/sessions/frames/messages/stream`, {
      method: "POST",
      headers: { ...api.headers, "content-type": "application/json", accept: "text/event-stream" },
      body: JSON.stringify({ message: "hi" }),
    })
    expect(response.status).toBe(200)
    expect(response.headers.get("content-type")).toMatch(/^text\/event-stream/)
    const frames = await Array.fromAsync(sseEvents(response))
    expect(frames.map((frame) => Number(frame.id))).toEqual(
      frames.map((frame) => (JSON.parse(frame.data) as Event).sequence),
    )
  })

  test("carries the native lines when asked to", async () => {
    const { api } = daemon
    await api.create("raw")
    for (const [query, expected] of [
      ["?include_raw=true", true],
      ["?includeRaw=1", true],
      ["", false],
    ] as const) {
      const answer = await api.call<string>("POST", `/v1/sessions/raw/messages/stream${query}`, { message: "hi" })
      const events = eventsInText(answer.body).map(({ data }) => JSON.parse(data) as Event)
      expect(events.at(-1)?.type).toBe("turn.ended")
      for (const event of events) expect("raw" in event, event.type).toBe(expected && event.source === "agent")
    }
  })

  test("of a queued message it shows only its own turn", async () => {
    const { api } = daemon
    await busy("own")
    const mine = api.turn("own", "mine", { messageId: "mine" })
    await api.until("own", "message.updated", ({ data }) => data.message_id === "mine")
    await api.send("own", "the next one's")
    await api.ok("POST", "/v1/sessions/own/cancel")
    const events = await mine
    expect(textOf(events)).toBe("mine")
    expect(ofType(events, "turn.started").map((event) => event.data.message_ids)).toEqual([["mine"]])
    expect(ofType(events, "turn.ended").map((event) => event.data.message_ids)).toEqual([["mine"]])
    expect(ofType(events, "message.updated").every((event) => event.data.message_id === "mine")).toBe(true)
  })

  test("ends when the message is withdrawn", async () => {
    const { api } = daemon
    await busy("recalled")
    const stream = api.turn("recalled", "never", { messageId: "never" })
    await api.until("recalled", "message.updated", ({ data }) => data.message_id === "never")
    await api.ok("DELETE", "/v1/sessions/recalled/messages/never")
    const events = await stream
    expect(events.map((event) => event.type)).toEqual(["message.updated", "message.updated"])
    expect(events.at(-1)?.data).toMatchObject({ state: "withdrawn" })
  })

  test("ends when the session is ended or deleted under it", async () => {
    const { api } = daemon
    for (const [id, end] of [
      ["cut-terminate", () => api.ok("POST", "/v1/sessions/cut-terminate/terminate")],
      ["cut-delete", () => api.ok("DELETE", "/v1/sessions/cut-delete")],
    ] as const) {
      await busy(id)
      const queued = api.turn(id, "queued", { messageId: "queued" })
      await api.until(id, "message.updated", ({ data }) => data.message_id === "queued")
      await end()
      expect((await queued).at(-1)?.data, id).toMatchObject({ state: "withdrawn" })
    }
  })

  test("ends when the message fails", async () => {
    const { api } = daemon
    await api.create("unusable", { env: { BUN_OPTIONS: "--preload=/nowhere.ts" } })
    const events = await api.turn("unusable", "hello")
    expect(events.at(-1)).toMatchObject({
      type: "message.updated",
      data: { state: "failed", error: { code: "agent_process_exited" } },
    })
  })

  test("the same messageId again replays the turn from its start", async () => {
    const { api } = daemon
    await api.create("again")
    const first = await api.turn("again", "say it\n/think twice", { messageId: "m" })
    await api.turn("again", "something else")
    const second = await api.turn("again", "say it\n/think twice", { messageId: "m" })
    const started = first.findIndex((event) => event.type === "turn.started")
    expect(second).toEqual(first.slice(started))
  })

  test("the same messageId on two streams at once is one turn seen twice", async () => {
    const { api } = daemon
    await api.create("double")
    const [one, two] = await Promise.all([1, 2].map(() => api.turn("double", "together", { messageId: "m" })))
    for (const events of [one, two]) expect(textOf(events ?? [])).toBe("together")
    expect(ofType(await api.events("double"), "turn.started").length).toBe(1)
  })
})

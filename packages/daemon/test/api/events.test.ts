import type { Event } from "@sandbox-agent/schema/event"
import { limits } from "@sandbox-agent/schema/limits"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { type CheckedDaemon, startChecked } from "./checked-api.ts"
import { expectProblem } from "./contract-check.ts"

let daemon: CheckedDaemon
let all: Event[]
beforeAll(async () => {
  daemon = await startChecked()
  await daemon.api.create("log")
  await daemon.api.turn("log", "/stream 1200")
  all = await daemon.api.events("log")
})
afterAll(() => daemon.finish())

interface Page {
  events: Event[]
  hasMore: boolean
}
const page = (query = "") => daemon.api.ok<Page>("GET", `/v1/sessions/log/events${query}`)

describe("GET events", () => {
  test("offset is the last seen sequence, exclusive; pages meet without gap or double", async () => {
    expect(all.map((event) => event.sequence)).toEqual(all.map((_, i) => i + 1))
    const { events, hasMore } = await page("?offset=5&limit=3")
    expect(events).toEqual(all.slice(5, 8))
    expect(hasMore).toBe(true)
  })

  test("gives a default page, at most the largest one, and says when there is more", async () => {
    expect((await page()).events.length).toBe(limits.eventsPageDefault)
    expect(await page("?limit=1000")).toEqual({ events: all.slice(0, 1000), hasMore: true })
    expect(await page(`?offset=${all.length - 2}`)).toEqual({ events: all.slice(-2), hasMore: false })
    expect(await page(`?offset=${all.length}`)).toEqual({ events: [], hasMore: false })
  })

  test("beyond the end is refused with the last sequence", async () => {
    const answer = await daemon.api.call("GET", `/v1/sessions/log/events?offset=${all.length + 1}`)
    expectProblem(answer, "invalid_request")
    expect(answer.body).toMatchObject({ lastSequence: all.length })
  })

  test("raw comes only when asked for, by either name", async () => {
    expect(all.some((event) => "raw" in event)).toBe(false)
    for (const name of ["include_raw", "includeRaw"]) {
      for (const off of ["false", "0"]) expect(await page(`?${name}=${off}`)).toEqual(await page())
      for (const on of ["true", "1"]) {
        const { events } = await page(`?${name}=${on}&limit=1000`)
        for (const event of events) expect("raw" in event, event.type).toBe(event.source === "agent")
        const delta = events.find((event) => event.type === "item.delta")
        expect(delta?.raw).toMatchObject({ type: "delta", text: expect.any(String) })
        expect(events.map(({ raw: _, ...event }) => event)).toEqual(all.slice(0, 1000))
      }
    }
  })
})

describe("GET events/sse", () => {
  const take = async (count: number, query = "", headers: Record<string, string> = {}) => {
    const events: Event[] = []
    for await (const event of daemon.api.stream("log", query, headers)) if (events.push(event) === count) break
    return events
  }

  test("replays everything, then goes on live, without gap or double", async () => {
    await daemon.api.create("live")
    await daemon.api.turn("live", "before")
    const seen: Event[] = []
    for await (const event of daemon.api.stream("live")) {
      seen.push(event)
      if (event.type === "turn.ended" && seen.filter((e) => e.type === "turn.ended").length === 1)
        await daemon.api.send("live", "/stream 500")
      if (event.type === "turn.ended" && seen.filter((e) => e.type === "turn.ended").length === 2) break
    }
    expect(seen).toEqual((await daemon.api.events("live")).slice(0, seen.length))
    expect(seen.length).toBeGreaterThan(500)
  })

  test("starts after offset; Last-Event-ID wins over it; an empty one counts as none", async () => {
    expect(await take(3, "?offset=7")).toEqual(all.slice(7, 10))
    expect(await take(3, "?offset=7", { "last-event-id": "100" })).toEqual(all.slice(100, 103))
    expect(await take(3, "?offset=7", { "last-event-id": "" })).toEqual(all.slice(7, 10))
    expect(await take(all.length)).toEqual(all)
  })

  test("raw comes on the stream too", async () => {
    const events = await take(100, "?include_raw=true")
    for (const event of events) expect("raw" in event, event.type).toBe(event.source === "agent")
    expect(events.map(({ raw: _, ...event }) => event)).toEqual(all.slice(0, 100))
  })

  test("many readers at different places all get the same log", async () => {
    const offsets = [0, 1, 200, 201, 600, all.length - 1]
    const read = await Promise.all(offsets.map((offset) => take(all.length - offset, `?offset=${offset}`)))
    expect(read).toEqual(offsets.map((offset) => all.slice(offset)))
  })

  test.each<{ name: string; query: string; headers: Record<string, string> }>([
    { name: "an offset beyond the end", query: "?offset=999999", headers: {} },
    { name: "a Last-Event-ID beyond the end", query: "", headers: { "last-event-id": "999999" } },
    { name: "a Last-Event-ID that is no sequence", query: "", headers: { "last-event-id": "abc" } },
  ])("$name is refused", async ({ query, headers }) => {
    expectProblem(
      await daemon.api.call("GET", `/v1/sessions/log/events/sse${query}`, undefined, headers),
      "invalid_request",
    )
  })

  test("a client that does not take event streams is told", async () => {
    const get = (accept: string) => daemon.api.call("GET", "/v1/sessions/log/events/sse", undefined, { accept })
    expectProblem(await get("application/json"), "not_acceptable")
    for (const accept of ["*/*", "text/*", "text/event-stream", "application/json, text/event-stream;q=0.5"])
      expect((await take(1, "", { accept })).length).toBe(1)
  })
})

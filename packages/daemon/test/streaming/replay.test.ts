import fc from "fast-check"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { startDaemon, type TestDaemon } from "../harness/daemon.ts"
import { Follower, storedTexts, turnEnded } from "./follower.ts"
import { RawStream } from "./raw-stream.ts"

let daemon: TestDaemon
beforeAll(async () => {
  daemon = await startDaemon()
})
afterAll(() => daemon[Symbol.asyncDispose]())

describe("replay goes over into live without a seam", () => {
  test("readers that join at random moments of a turn, at random cursors, get every event once and the same bytes", async () => {
    const { api } = daemon
    await api.create("join")
    const first = new Follower("join")
    const watch = first.read(api, turnEnded)
    // Joined when the first reader has seen so many events: spread over the turn however fast the machine is.
    const moments = fc.sample(fc.integer({ min: 1, max: 19_500 }), { numRuns: 25, seed: 7 }).sort((a, b) => a - b)
    const { turnId } = await api.send("join", "/stream 20000")
    const joined: Promise<Follower>[] = []
    for (const [i, moment] of moments.entries()) {
      while (first.last < moment) await new Promise((resolve) => setImmediate(resolve))
      const reader = new Follower("join", i % 3 === 0 ? 0 : Math.floor((moment * (i % 5)) / 4))
      joined.push(reader.read(api, turnEnded).then(() => reader))
    }
    await watch
    expect(first.texts.at(-1)).toContain(turnId)
    const whole = first.texts.join(",")
    expect(whole).toBe(await storedTexts(api, "join").then((text) => text.slice(0, whole.length)))
    expect(first.texts.filter((text) => text.includes('"type":"item.delta"')).length).toBe(20_000)
    for (const reader of await Promise.all(joined))
      expect(reader.texts.join(",")).toBe(first.texts.slice(reader.from).join(","))
  })

  test("the same cursor gives the same bytes from memory and, after a restart, from disk", async () => {
    await using before = await startDaemon()
    await before.api.create("one")
    await before.api.turn("one", "/stream 3000")
    const live = new Follower("one", 1234)
    const { lastSequence } = await before.api.session("one")
    await live.read(before.api, () => live.last === lastSequence)
    before.kill()
    await before.exited
    await using after = await startDaemon({ dataDir: before.dataDir })
    const replayed = new Follower("one", 1234)
    await replayed.read(after.api, () => replayed.last === lastSequence)
    expect(replayed.texts).toEqual(live.texts)
  })
})

describe("where a stream begins", () => {
  const firstId = async (query: string, headers?: Record<string, string>): Promise<string | undefined> => {
    const stream = new RawStream(daemon, `/v1/sessions/cursor/events/sse${query}`, headers)
    const text = await stream.until((all) => /^id: \d+$/m.test(all))
    stream.close()
    return /^id: (\d+)$/m.exec(text)?.[1]
  }
  let last: number
  beforeAll(async () => {
    await daemon.api.create("cursor")
    await daemon.api.turn("cursor", "one two three")
    last = (await daemon.api.session("cursor")).lastSequence
  })

  test("without a cursor at the first event, with an offset after it, and Last-Event-ID wins over the offset", async () => {
    expect(await firstId("")).toBe("1")
    expect(await firstId("?offset=0")).toBe("1")
    expect(await firstId("?offset=3")).toBe("4")
    expect(await firstId("?offset=3", { "last-event-id": "6" })).toBe("7")
    expect(await firstId("?offset=6", { "last-event-id": "0" })).toBe("1")
    expect(await firstId("?offset=3", { "last-event-id": "" })).toBe("4")
  })

  test("a cursor at the end waits; one beyond it, or one that is no number, is refused by name", async () => {
    const { api } = daemon
    const waiting = new Follower("cursor", last)
    const read = waiting.read(api, turnEnded)
    await api.send("cursor", "four")
    await read
    expect(waiting.texts.at(-1)).toContain("turn.ended")
    const path = "/v1/sessions/cursor/events"
    const beyond = { status: 400, type: "urn:sandbox-agent:error:invalid_request" }
    const { lastSequence } = await api.session("cursor")
    for (const answer of [
      await api.call("GET", `${path}/sse?offset=${lastSequence + 1}`),
      await api.call("GET", `${path}?offset=${lastSequence + 1}`),
      await api.call("GET", `${path}/sse`, undefined, { "last-event-id": String(lastSequence + 1) }),
    ])
      expect(answer.body).toMatchObject({ ...beyond, lastSequence })
    for (const id of ["-1", "1.5", "abc", "1e3", "9".repeat(20)])
      expect((await api.call("GET", `${path}/sse`, undefined, { "last-event-id": id })).body).toMatchObject(beyond)
  })
})

test("headers keep proxies from holding events back, and a stream says how soon to come back", async () => {
  const stream = new RawStream(daemon, "/v1/sessions/cursor/events/sse")
  const text = await stream.until((all) => all.includes("retry: 1000\n\n") && all.includes("id: 1\n"))
  stream.close()
  const head = text.slice(0, text.indexOf("\r\n\r\n")).toLowerCase()
  expect(head).toMatch(/^http\/1\.1 200/)
  expect(head).toMatch(/content-type: text\/event-stream/)
  expect(head).toMatch(/x-accel-buffering: no/)
  expect(head).toMatch(/cache-control: no-cache/)
  expect(head).not.toMatch(/content-length|content-encoding/)
})

test("a silent stream carries comments, as often as the daemon is told, and no event", async () => {
  await using restless = await startDaemon({ intervals: { heartbeatMs: 100 } })
  await restless.api.create("quiet")
  await restless.api.until("quiet", "session.updated", ({ data }) => data.status === "idle")
  const { lastSequence } = await restless.api.session("quiet")
  const stream = new RawStream(restless, `/v1/sessions/quiet/events/sse?offset=${lastSequence}`)
  const text = await stream.until((all) => (all.match(/^: /gm) ?? []).length > 2)
  stream.close()
  expect(text).not.toMatch(/^(id|data):/m)
})

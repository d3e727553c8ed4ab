import { limits } from "@sandbox-agent/schema/limits"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { type CheckedDaemon, startChecked } from "./checked-api.ts"
import { expectProblem } from "./contract-check.ts"
import { itemsOf, ofType, textOf } from "./transcript.ts"

let daemon: CheckedDaemon
beforeAll(async () => {
  daemon = await startChecked()
})
afterAll(() => daemon.finish())

/** A session whose agent sleeps until it is cancelled. */
async function busy(id: string): Promise<void> {
  await daemon.api.create(id)
  await daemon.api.send(id, "/sleep 600000")
  await daemon.api.asleep(id)
}
const free = (id: string) => daemon.api.ok("POST", `/v1/sessions/${id}/cancel`)

describe("queue", () => {
  test("messages are taken one by one in the order they came, each in the turn it was promised", async () => {
    const { api } = daemon
    await busy("fifo")
    const posted: Awaited<ReturnType<typeof api.send>>[] = []
    for (const n of [1, 2, 3, 4]) posted.push(await api.send("fifo", `message ${n}`))
    expect(posted.map((message) => message.position)).toEqual([1, 2, 3, 4])
    expect((await api.session("fifo")).queue).toEqual(
      posted.map(({ messageId, turnId, position }) => ({ messageId, turnId, position, delivery: "queue" })),
    )
    await free("fifo")
    await api.until("fifo", "turn.ended", ({ data }) => data.turn_id === posted.at(-1)?.turnId)
    const events = await api.events("fifo")
    const turns = ofType(events, "turn.ended").slice(1)
    expect(turns.map(({ data }) => [data.turn_id, data.message_ids, data.stop_reason])).toEqual(
      posted.map(({ turnId, messageId }) => [turnId, [messageId], "end_turn"]),
    )
    const said = itemsOf(events).flatMap((item) => (item.role === "user" ? [item.content[0]] : []))
    expect(said.slice(1)).toEqual([1, 2, 3, 4].map((n) => ({ type: "text", text: `message ${n}` })))
  })

  test("each state of a message is told, and the user's item stands where the agent took it", async () => {
    const { api } = daemon
    await api.create("fate")
    const events = await api.turn("fate", "hello", { messageId: "my-message" })
    expect(ofType(events, "message.updated").map(({ data }) => [data.state, data.position])).toEqual([
      ["queued", 0],
      ["taken", undefined],
    ])
    expect(ofType(events, "turn.started")).toMatchObject([{ data: { origin: "message", message_ids: ["my-message"] } }])
    const [user, assistant] = itemsOf(events)
    expect(user).toMatchObject({ role: "user", message_id: "my-message", status: "completed" })
    expect(assistant).toMatchObject({ role: "assistant", turn_id: user?.turn_id, status: "completed" })
  })

  test("is bounded: one more is refused and nothing of it is kept", async () => {
    const { api } = daemon
    await busy("full")
    for (let n = 0; n < limits.queuedMessages; n++) await api.send("full", "wait")
    const over = await api.call("POST", "/v1/sessions/full/messages", { message: "x", messageId: "over" })
    expectProblem(over, "too_many_requests")
    expect(over.body).toMatchObject({ sessionId: "full", limit: limits.queuedMessages })
    expect(over.body).toMatchObject({ hint: "Wait until the queue has drained, or withdraw a message." })
    expect((await api.session("full")).queue.length).toBe(limits.queuedMessages)
    expectProblem(await api.call("DELETE", "/v1/sessions/full/messages/over"), "not_found")
    await api.ok("POST", "/v1/sessions/full/cancel", { queue: true })
  })
})

describe("messageId", () => {
  test("makes a message idempotent: same answer, one turn, whatever has happened since", async () => {
    const { api } = daemon
    await busy("once")
    const post = () => api.send("once", "only once", { messageId: "m1" })
    const [first, again] = await Promise.all([post(), post()])
    expect(again).toEqual(first)
    await free("once")
    await api.until("once", "turn.ended", ({ data }) => data.turn_id === first.turnId)
    const later = { messageId: first.messageId, turnId: first.turnId }
    expect(await post()).toMatchObject(later)
    expect(ofType(await api.events("once"), "turn.started").length).toBe(2)
    await api.ok("POST", "/v1/sessions/once/terminate")
    expect(await post()).toMatchObject(later)
  })

  test.each([
    { name: "text", first: {}, second: { message: "other" } },
    { name: "attachment", first: { attachments: [{ data: "eA==" }] }, second: { attachments: [{ data: "eQ==" }] } },
    { name: "attachment taken away", first: { attachments: [{ data: "eA==" }] }, second: {} },
    {
      name: "name",
      first: { attachments: [{ data: "eA==" }] },
      second: { attachments: [{ data: "eA==", filename: "x" }] },
    },
    { name: "delivery", first: { delivery: "queue" }, second: { delivery: "steer" } },
  ])("with another $name is a conflict, while it waits and when it is done", async ({ name, first, second }) => {
    const { api } = daemon
    const id = `twice-${name.replaceAll(" ", "-")}`
    const path = `/v1/sessions/${id}/messages`
    const [one, other] = [first, second].map((more) => ({ message: "same", messageId: "m", ...more }))
    await busy(id)
    const posted = await api.ok<{ turnId: string }>("POST", path, one)
    const refused = await api.call("POST", path, other)
    expectProblem(refused, "conflict")
    expect(refused.body).toMatchObject({ messageId: "m", state: "queued" })
    await free(id)
    await api.until(id, "turn.ended", ({ data }) => data.turn_id === posted.turnId)
    for (const at of [path, `${path}/stream`]) {
      const late = await api.call("POST", at, other)
      expectProblem(late, "conflict")
      expect(late.body).toMatchObject({ messageId: "m", state: "taken" })
    }
    expect(await api.ok("POST", path, one)).toMatchObject({ turnId: posted.turnId })
    expect(ofType(await api.events(id), "turn.started").length).toBe(2)
  })

  test("said with the default it is the same message", async () => {
    const { api } = daemon
    await api.create("default")
    const first = await api.send("default", "x", { messageId: "m" })
    const again = await api.send("default", "x", { messageId: "m", delivery: "queue", attachments: [] })
    expect(again.turnId).toBe(first.turnId)
  })

  test("is not undone by an attachment that is gone the second time", async () => {
    const { api } = daemon
    await api.create("once-file")
    let asked = 0
    const files = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response(`served ${++asked}`) })
    const message = { messageId: "m", attachments: [{ url: `${files.url}a.txt` }] }
    const first = await api.send("once-file", "read", message)
    await files.stop(true)
    expect(await api.send("once-file", "read", message)).toMatchObject({ turnId: first.turnId })
    expect(asked).toBe(1)
  })
})

describe("withdraw", () => {
  test("takes a queued message out; those behind it move up", async () => {
    const { api } = daemon
    await busy("withdraw")
    const [one, two, three] = [
      await api.send("withdraw", "1"),
      await api.send("withdraw", "2"),
      await api.send("withdraw", "3"),
    ]
    const path = `/v1/sessions/withdraw/messages/${two.messageId}`
    expect(await api.ok("DELETE", path)).toEqual({ messageId: two.messageId, state: "withdrawn" })
    expect((await api.session("withdraw")).queue.map((m) => [m.messageId, m.position])).toEqual([
      [one.messageId, 1],
      [three.messageId, 2],
    ])
    const again = await api.call("DELETE", path)
    expectProblem(again, "conflict")
    expect(again.body).toMatchObject({ state: "withdrawn" })
    await free("withdraw")
    await api.until("withdraw", "turn.ended", ({ data }) => data.turn_id === three.turnId)
    expect(textOf(await api.events("withdraw"))).toBe("13")
  })

  test("a message may have the name of a route", async () => {
    const { api } = daemon
    await busy("named")
    await api.send("named", "x", { messageId: "stream" })
    expect(await api.ok("DELETE", "/v1/sessions/named/messages/stream")).toEqual({
      messageId: "stream",
      state: "withdrawn",
    })
    await free("named")
  })

  test("a message the agent has is beyond recall", async () => {
    const { api } = daemon
    await api.create("too-late")
    await api.turn("too-late", "done", { messageId: "done" })
    const answer = await api.call("DELETE", "/v1/sessions/too-late/messages/done")
    expectProblem(answer, "conflict")
    expect(answer.body).toMatchObject({ state: "taken" })
    expectProblem(await api.call("DELETE", "/v1/sessions/too-late/messages/unknown"), "not_found")
  })
})

describe("steer", () => {
  test("goes into the running turn", async () => {
    const { api } = daemon
    await api.create("steer")
    const { turnId } = await api.send("steer", "/flood 100000 100")
    await api.until("steer", "item.delta")
    const steered = await api.send("steer", "/echo turn left", { delivery: "steer", messageId: "s1" })
    expect(steered).toEqual({ messageId: "s1", turnId, position: 0 })
    const taken = await api.until(
      "steer",
      "message.updated",
      ({ data }) => data.message_id === "s1" && data.state === "taken",
    )
    expect(taken.data).toMatchObject({ turn_id: turnId, delivery: "steer" })
    await free("steer")
    const [ended] = ofType(await api.events("steer"), "turn.ended")
    expect(ended?.data.message_ids.slice(1)).toEqual(["s1"])
    const item = itemsOf(await api.events("steer")).find((found) => found.message_id === "s1")
    expect(item).toMatchObject({ role: "user", turn_id: turnId, content: [{ type: "text", text: "/echo turn left" }] })
  })

  test("is an ordinary message when nothing runs", async () => {
    const { api } = daemon
    await api.create("steer-idle")
    const events = await api.turn("steer-idle", "just this", { delivery: "steer" })
    expect(textOf(events)).toBe("just this")
    expect(events.at(-1)).toMatchObject({ type: "turn.ended", data: { stop_reason: "end_turn" } })
  })
})

import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { type CheckedDaemon, startChecked } from "./checked-api.ts"
import { gone } from "./processes.ts"
import { itemsOf, ofType, textOf } from "./transcript.ts"

let daemon: CheckedDaemon
beforeAll(async () => {
  // Agents that listen are not forced, however long they take on a busy machine.
  daemon = await startChecked({ intervals: { interruptMs: 600_000 } })
})
afterAll(() => daemon.finish())

interface Cancelled {
  ended: boolean
  turnId?: string
  withdrawn: string[]
}
const cancel = (id: string, body?: Record<string, unknown>) =>
  daemon.api.ok<Cancelled>("POST", `/v1/sessions/${id}/cancel`, body)

describe("cancel", () => {
  test("in the middle of a stream: the item so far is kept as failed, the next message goes on", async () => {
    const { api } = daemon
    await api.create("mid-stream")
    const { turnId } = await api.send("mid-stream", "/flood 100000 200")
    await api.until("mid-stream", "item.delta")
    expect(await cancel("mid-stream")).toEqual({ ended: true, turnId, withdrawn: [] })
    const events = await api.events("mid-stream")
    const deltas = ofType(events, "item.delta").map((event) => event.data.delta)
    expect(itemsOf(events).at(-1)).toMatchObject({
      status: "failed",
      metadata: { reason: "cancelled" },
      content: [{ type: "text", text: deltas.join("") }],
    })
    const [ended] = ofType(events, "turn.ended")
    expect(ended).toMatchObject({ data: { turn_id: turnId, stop_reason: "cancelled" }, source: "agent" })
    expect(ended?.data.forced).toBeUndefined()
    expect((await api.session("mid-stream")).agentProcess).toBe("live")
    expect(textOf(await api.turn("mid-stream", "next"))).toBe("next")
  })

  test("in the middle of a command: its result says so, and the command is dead", async () => {
    const { api } = daemon
    await api.create("mid-run", { permissionMode: "bypass" })
    await api.send("mid-run", "/run echo $$; exec sleep 1000")
    const started = await api.until("mid-run", "item.delta", ({ data }) => data.part.type === "output")
    await cancel("mid-run")
    const results = itemsOf(await api.events("mid-run")).filter((item) => item.kind === "tool_result")
    expect(results).toMatchObject([{ status: "failed", content: [{ is_error: true, output: started.data.delta }] }])
    await gone(Number(started.data.delta))
  })

  test("with an open permission: resolved as cancelled, nothing runs, nothing pends", async () => {
    const { api } = daemon
    await api.create("mid-ask")
    await api.send("mid-ask", "/permission touch ran")
    const { permission_id } = await api.permission("mid-ask")
    expect((await api.session("mid-ask")).status).toBe("waiting")
    expect((await cancel("mid-ask")).ended).toBe(true)
    const events = await api.events("mid-ask")
    expect(ofType(events, "permission.resolved")).toMatchObject([
      { data: { permission_id, status: "cancelled", reason: expect.any(String) }, source: "daemon" },
    ])
    expect(await api.ok("GET", "/v1/sessions/mid-ask/pending")).toEqual({ permissions: [], questions: [] })
    expect(await api.session("mid-ask")).toMatchObject({ status: "idle", pending: { permissions: 0, questions: 0 } })
  })

  test("leaves the queue alone, and the next message runs", async () => {
    const { api } = daemon
    await api.create("keeps-queue")
    await api.send("keeps-queue", "/sleep 60000")
    const next = api.turn("keeps-queue", "my turn")
    await api.asleep("keeps-queue")
    await api.until("keeps-queue", "message.updated", ({ data }) => data.position === 1)
    expect((await cancel("keeps-queue")).withdrawn).toEqual([])
    expect(textOf(await next)).toBe("my turn")
  })

  test("with queue:true withdraws what waits, in order", async () => {
    const { api } = daemon
    await api.create("clears-queue")
    await api.send("clears-queue", "/sleep 60000")
    const one = await api.send("clears-queue", "one")
    const two = await api.send("clears-queue", "two")
    const { ended, withdrawn } = await cancel("clears-queue", { queue: true })
    expect({ ended, withdrawn }).toEqual({ ended: true, withdrawn: [one.messageId, two.messageId] })
    const states = ofType(await api.events("clears-queue"), "message.updated").filter(
      (e) => e.data.state === "withdrawn",
    )
    expect(states.map((event) => event.data.message_id)).toEqual(withdrawn)
    expect((await api.session("clears-queue")).queue).toEqual([])
    expect(textOf(await api.events("clears-queue"))).toBe("")
  })

  test("with background:true ends background work, also when no turn runs", async () => {
    const { api } = daemon
    await api.create("background")
    await api.turn("background", "/background 600000")
    expect((await api.session("background")).background).toBe(1)
    expect(await cancel("background")).toEqual({ ended: true, withdrawn: [] })
    expect((await api.session("background")).background).toBe(1)
    await cancel("background", { background: true })
    expect((await api.session("background")).background).toBe(0)
    const last = itemsOf(await api.events("background")).at(-1)
    expect(last).toMatchObject({ late: true, kind: "tool_result", status: "failed" })
  })

  test("when nothing runs there is nothing to do", async () => {
    const { api } = daemon
    const { session } = await api.create("at-rest")
    expect(await cancel("at-rest", { queue: true, background: true })).toEqual({ ended: true, withdrawn: [] })
    expect(await api.session("at-rest")).toEqual(session)
  })

  test("twice at once is one interrupt, and both are answered", async () => {
    const { api } = daemon
    await api.create("twice")
    const { turnId } = await api.send("twice", "/sleep 60000")
    await api.asleep("twice")
    const answers = await Promise.all([cancel("twice"), cancel("twice")])
    expect(answers.map((answer) => answer.ended)).toEqual([true, true])
    // The second may come when the turn has ended already, and then there is none to name.
    const named = new Set(answers.map((answer) => answer.turnId))
    named.delete(undefined)
    expect([...named]).toEqual([turnId])
    expect(ofType(await api.events("twice"), "turn.ended").length).toBe(1)
  })

  test("an agent that does not listen is forced: the turn ends, the session lives", async () => {
    await using impatient = await startChecked({ intervals: { interruptMs: 200 } })
    const { api } = impatient
    await api.create("deaf")
    const { turnId } = await api.send("deaf", "/hang")
    await api.until("deaf", "item.completed", ({ data }) => data.item.role === "assistant")
    const answer = await api.ok<Cancelled>("POST", "/v1/sessions/deaf/cancel")
    expect(answer).toEqual({ ended: true, turnId, withdrawn: [] })
    const ended = await api.until("deaf", "turn.ended")
    expect(ended).toMatchObject({ data: { turn_id: turnId, stop_reason: "cancelled", forced: true }, source: "daemon" })
    expect(textOf(await api.turn("deaf", "alive"))).toBe("alive")
  })
})

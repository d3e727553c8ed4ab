import type { Session } from "@sandbox-agent/schema/session"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { keptDirectory } from "../durability/database.ts"
import { startDaemon } from "../harness/daemon.ts"
import { type CheckedDaemon, startChecked } from "./checked-api.ts"
import { expectProblem } from "./contract-check.ts"
import { itemsOf, ofType, outputOf, textOf } from "./transcript.ts"

let daemon: CheckedDaemon
beforeAll(async () => {
  daemon = await startChecked()
})
afterAll(() => daemon.finish())

const terminate = (id: string) => daemon.api.ok<{ session: Session }>("POST", `/v1/sessions/${id}/terminate`)
const resume = (id: string) =>
  daemon.api.ok<{ healthy: boolean; session: Session }>("POST", `/v1/sessions/${id}/resume`)

describe("terminate", () => {
  test("ends turn, requests and queue, then the session, and only then answers", async () => {
    const { api } = daemon
    await api.create("ended")
    const { messageId: running } = await api.send("ended", "/permission touch never")
    await api.permission("ended")
    const { messageId: queued } = await api.send("ended", "later")
    const { lastSequence } = await api.session("ended")
    const { session } = await terminate("ended")
    expect(session).toMatchObject({ status: "ended", agentProcess: "none", queue: [], pending: { permissions: 0 } })
    expect(session.endedAt).toEqual(expect.any(String))
    const tail = (await api.events("ended")).slice(lastSequence)
    expect(ofType(tail, "message.updated")).toMatchObject([{ data: { message_id: queued, state: "withdrawn" } }])
    expect(ofType(tail, "permission.resolved")).toMatchObject([{ data: { status: "cancelled" } }])
    expect(itemsOf(tail)).toMatchObject([{ kind: "tool_result", status: "failed" }])
    const ended = { stop_reason: "cancelled", forced: true, message_ids: [running] }
    expect(ofType(tail, "turn.ended")).toMatchObject([{ data: ended }])
    const over = { reason: "terminated", terminated_by: "daemon" }
    expect(ofType(tail, "session.ended")).toMatchObject([{ data: over, source: "daemon" }])
    expect(tail.map((event) => event.type).filter((type) => /ended|resolved/.test(type))).toEqual([
      "permission.resolved",
      "turn.ended",
      "session.ended",
    ])
  })

  test("again is the same answer", async () => {
    await daemon.api.create("ended-twice")
    const first = await terminate("ended-twice")
    expect(await terminate("ended-twice")).toEqual(first)
  })

  test("an agent that ignores everything is gone when it answers", async () => {
    const { api } = daemon
    await api.create("ended-hanging", { permissionMode: "bypass" })
    await api.send("ended-hanging", "/run echo $PPID\n/hang")
    const result = await api.until("ended-hanging", "item.completed", ({ data }) => data.item.kind === "tool_result")
    const pid = Number(outputOf([result])[0])
    await api.until(
      "ended-hanging",
      "item.completed",
      ({ data }) => data.item.content[0]?.type === "text" && data.item.role === "assistant",
    )
    process.kill(pid, 0)
    expect((await terminate("ended-hanging")).session.status).toBe("ended")
    expect(() => process.kill(pid, 0)).toThrow("ESRCH")
    expect(ofType(await api.events("ended-hanging"), "session.ended").length).toBe(1)
  })

  test("an ended session can be read, and takes neither messages nor cancel", async () => {
    const { api } = daemon
    await api.create("ended-read")
    await api.turn("ended-read", "kept")
    await terminate("ended-read")
    expect((await api.items("ended-read")).items.length).toBe(2)
    expect(await api.ok("GET", "/v1/sessions/ended-read/pending")).toEqual({ permissions: [], questions: [] })
    for (const path of ["messages", "messages/stream"])
      expectProblem(await api.call("POST", `/v1/sessions/ended-read/${path}`, { message: "no" }), "conflict")
    expectProblem(await api.call("POST", "/v1/sessions/ended-read/cancel"), "conflict")
  })
})

describe("resume", () => {
  test("brings an ended session back natively, and its log goes on", async () => {
    const { api } = daemon
    await api.create("back", { metadata: { kept: 1 } })
    await api.turn("back", "before")
    const { session: ended } = await terminate("back")
    const { healthy, session } = await resume("back")
    expect(healthy).toBe(true)
    expect(session).toMatchObject({ status: "idle", agentProcess: "live", nativeSessionId: ended.nativeSessionId })
    expect(session.endedAt).toBeUndefined()
    const [started] = ofType(await api.events("back"), "session.started").slice(1)
    expect(started).toMatchObject({ sequence: ended.lastSequence + 1, data: { resumed: true, metadata: { kept: 1 } } })
    expect(textOf(await api.turn("back", "after"))).toBe("after")
    expect((await api.items("back")).items.length).toBe(4)
  })

  test("a session that has not ended cannot be resumed", async () => {
    await daemon.api.create("not-ended")
    expectProblem(await daemon.api.call("POST", "/v1/sessions/not-ended/resume"), "conflict")
  })

  test("a session that never had a turn comes back as well", async () => {
    const { api } = daemon
    await api.create("back-empty")
    await terminate("back-empty")
    expect((await resume("back-empty")).healthy).toBe(true)
    expect(textOf(await api.turn("back-empty", "first"))).toBe("first")
  })
})

describe("the agent's own end", () => {
  test("/exit ends the session after its turn, and resume brings it back", async () => {
    const { api } = daemon
    await api.create("left")
    const events = await api.turn("left", "bye\n/exit\nnever said")
    expect(textOf(events)).toBe("bye")
    const ended = await api.until("left", "session.ended")
    expect(ended).toMatchObject({ data: { reason: "completed", terminated_by: "agent" }, source: "agent" })
    expect((await api.session("left")).status).toBe("ended")
    await resume("left")
    expect(textOf(await api.turn("left", "hello again"))).toBe("hello again")
  })

  test("/crash ends the turn with exit code and stderr; the next message resumes the same native session", async () => {
    const { api } = daemon
    const { session } = await api.create("crashed")
    const events = await api.turn("crashed", "first\n/crash 7")
    const ended = events.at(-1)
    expect(ended).toMatchObject({
      type: "turn.ended",
      data: {
        stop_reason: "error",
        error: { code: "agent_process_exited", exit_code: 7, stderr: { truncated: false } },
      },
    })
    const head = ended?.type === "turn.ended" ? ended.data.error?.stderr?.head : ""
    expect(head).toContain("mock-agent: a scripted crash")
    expect(itemsOf(events).at(-1)).toMatchObject({ status: "failed", content: [{ type: "text", text: "About to " }] })
    await api.until("crashed", "session.updated", ({ data }) => data.agent_process === "none")
    const error = { code: "agent_process_exited", exitCode: 7, agent: "mock", sessionId: "crashed" }
    expect(await api.session("crashed")).toMatchObject({ status: "idle", agentProcess: "none", error })
    expect(textOf(await api.turn("crashed", "second"))).toBe("second")
    const next = await api.session("crashed")
    expect([next.nativeSessionId, next.error]).toEqual([session.nativeSessionId, undefined])
    expect(ofType(await api.events("crashed"), "session.ended")).toEqual([])
  })

  test("a session tells why its last turn failed until the next one begins, also after a restart", async () => {
    const dataDir = keptDirectory()
    const error = { code: "mock_error", message: "the model is overloaded", agent: "mock", sessionId: "failed" }
    {
      await using first = await startDaemon({ dataDir })
      await first.api.create("failed")
      await first.api.turn("failed", "/error the model is overloaded")
      expect(await first.api.session("failed")).toMatchObject({ status: "idle", error })
      expect(await first.stop()).toBe(0)
    }
    await using second = await startDaemon({ dataDir })
    expect(await second.api.session("failed")).toMatchObject({ status: "idle", error })
    const { turnId } = await second.api.send("failed", "/sleep 600000")
    await second.api.until("failed", "turn.started", ({ data }) => data.turn_id === turnId)
    expect((await second.api.session("failed")).error).toBe(undefined)
    // A turn that somebody stopped did not fail.
    await second.api.ok("POST", "/v1/sessions/failed/cancel")
    expect((await second.api.session("failed")).error).toBe(undefined)
  })

  test("messages that wait when the agent dies are sent to the next process", async () => {
    const { api } = daemon
    await api.create("crashed-queue")
    await api.send("crashed-queue", "/sleep 100\n/crash 1")
    const events = await api.turn("crashed-queue", "still here")
    expect(textOf(events)).toBe("still here")
    expect(events.at(-1)).toMatchObject({ data: { stop_reason: "end_turn" } })
  })
})

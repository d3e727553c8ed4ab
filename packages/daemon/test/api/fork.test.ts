import type { Session } from "@sandbox-agent/schema/session"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { type CheckedDaemon, startChecked } from "./checked-api.ts"
import { expectProblem } from "./contract-check.ts"
import { itemsOf, ofType, outputOf, textOf } from "./transcript.ts"

let daemon: CheckedDaemon
beforeAll(async () => {
  daemon = await startChecked()
})
afterAll(() => daemon.finish())

interface Forked {
  healthy: boolean
  session: Session
  forkedAtSequence: number
}
const fork = (id: string, child: string) => daemon.api.ok<Forked>("POST", `/v1/sessions/${id}/fork`, { id: child })

describe("fork", () => {
  test("the child begins with the parent's items, marked as replayed, and goes its own way", async () => {
    const { api } = daemon
    const { session: parent } = await api.create("parent", {
      title: "P",
      metadata: { a: 1, requestedSessionId: "parent" },
      env: { INHERITED: "yes" },
      permissionMode: "bypass",
    })
    await api.turn("parent", "hello\n/tool Look {}\n/think hm")
    const last = ofType(await api.events("parent"), "turn.ended").at(-1)
    const forked = await fork("parent", "child")
    expect(forked).toMatchObject({ healthy: true, forkedAtSequence: last?.sequence })
    expect(forked.session).toMatchObject({ id: "child", title: "P", metadata: { a: 1 }, directory: parent.directory })
    expect(forked.session.nativeSessionId).not.toBe(parent.nativeSessionId)

    const events = await api.events("child")
    // All but the id its client wanted for the parent.
    const [started] = ofType(events, "session.started")
    expect(started?.data).toEqual({ forked_from: "parent", metadata: { a: 1 } })
    expect(forked.session.metadata).toEqual({ a: 1 })
    const replayed = events.filter((event) => event.type.startsWith("item."))
    expect(replayed.every((event) => event.replayed && event.source === "daemon")).toBe(true)
    const shape = (id: string) =>
      api.items(id).then(({ items }) => items.map(({ kind, role, content }) => ({ kind, role, content })))
    expect(await shape("child")).toEqual(await shape("parent"))

    const size = (await api.items("parent")).items.length
    expect(outputOf(await api.turn("child", "/run echo $INHERITED"))).toEqual(["yes\n"])
    expect((await api.items("parent")).items.length).toBe(size)
    expect(textOf(await api.turn("parent", "still mine"))).toBe("still mine")
  })

  test("atSequence of the last turn is its head; one beyond the log is refused", async () => {
    const { api } = daemon
    await api.create("at")
    await api.turn("at", "one")
    const { lastSequence } = await api.session("at")
    const body = { id: "at-child", atSequence: lastSequence }
    expect((await api.ok<Forked>("POST", "/v1/sessions/at/fork", body)).healthy).toBe(true)
    const beyond = await api.call("POST", "/v1/sessions/at/fork", { id: "at-beyond", atSequence: lastSequence + 1 })
    expectProblem(beyond, "invalid_request")
    expect(beyond.body).toMatchObject({ lastSequence })
    expectProblem(await api.call("GET", "/v1/sessions/at-beyond"), "session_not_found")
  })

  test("atSequence of an earlier turn leaves out what came after it", async () => {
    const { api } = daemon
    await api.create("earlier")
    const first = (await api.turn("earlier", "one")).at(-1)
    await api.turn("earlier", "two")
    const body = { id: "earlier-child", atSequence: (first?.sequence ?? 0) + 1 }
    const forked = await api.ok<Forked>("POST", "/v1/sessions/earlier/fork", body)
    expect(forked).toMatchObject({ healthy: true, forkedAtSequence: first?.sequence })
    expect(textOf(await api.events("earlier-child"))).toBe("one")
    expect(textOf(await api.turn("earlier-child", "instead"))).toBe("instead")
    const before = { id: "earlier-none", atSequence: 1 }
    expectProblem(await api.call("POST", "/v1/sessions/earlier/fork", before), "conflict")
  })

  test("without a finished turn there is nothing to fork from", async () => {
    const { api } = daemon
    await api.create("unborn")
    expectProblem(await api.call("POST", "/v1/sessions/unborn/fork", { id: "unborn-child" }), "conflict")
    expectProblem(await api.call("GET", "/v1/sessions/unborn-child"), "session_not_found")
  })

  test("an id that is taken is refused", async () => {
    const { api } = daemon
    await api.create("taken")
    await api.turn("taken", "one")
    expectProblem(await api.call("POST", "/v1/sessions/taken/fork", { id: "taken" }), "session_already_exists")
  })

  test("an ended session can be forked", async () => {
    const { api } = daemon
    await api.create("over")
    await api.turn("over", "once")
    await api.ok("POST", "/v1/sessions/over/terminate")
    expect((await fork("over", "over-child")).healthy).toBe(true)
    expect(textOf(await api.turn("over-child", "twice"))).toBe("twice")
    expect((await api.session("over")).status).toBe("ended")
  })
})

describe("adopt", () => {
  /** A native session that no session of ours owns any more. */
  const orphan = async (id: string): Promise<string> => {
    await daemon.api.create(id)
    await daemon.api.turn(id, "from before")
    const { nativeSessionId = "" } = await daemon.api.session(id)
    await daemon.api.ok("DELETE", `/v1/sessions/${id}`)
    return nativeSessionId
  }

  test("brings the agent's own history and goes on in the same native session", async () => {
    const { api } = daemon
    const nativeSessionId = await orphan("adopt-source")
    const { healthy, session } = await api.create("adopter", { nativeSessionId })
    expect(healthy).toBe(true)
    expect(session.nativeSessionId).toBe(nativeSessionId)
    const events = await api.events("adopter")
    expect(events[0]).toMatchObject({ type: "session.started", data: { adopted: true } })
    const past = itemsOf(events).map((item) => [item.role, item.content[0]])
    expect(past).toEqual([
      ["user", { type: "text", text: "from before" }],
      ["assistant", { type: "text", text: "from before" }],
    ])
    expect(events.filter((event) => event.type.startsWith("item.")).every((event) => event.replayed)).toBe(true)
    expect(textOf(await api.turn("adopter", "now"))).toBe("now")
  })

  test("a native session has one owner, also when two ask at once", async () => {
    const { api } = daemon
    const nativeSessionId = await orphan("adopt-race-source")
    const body = { agent: "mock", nativeSessionId }
    const answers = await Promise.all(["adopt-a", "adopt-b"].map((id) => api.call("POST", `/v1/sessions/${id}`, body)))
    expect(answers.map((answer) => answer.status).sort()).toEqual([201, 409])
    const third = await api.call("POST", "/v1/sessions/adopt-c", body)
    expectProblem(third, "conflict")
    expect(third.body).toMatchObject({ sessionId: answers[0]?.status === 201 ? "adopt-a" : "adopt-b" })
  })

  test("one the agent does not have is refused, and no session is left behind", async () => {
    const { api } = daemon
    const body = { agent: "mock", nativeSessionId: "../../etc/passwd" }
    expectProblem(await api.call("POST", "/v1/sessions/adopt-none", body), "not_found")
    expectProblem(await api.call("GET", "/v1/sessions/adopt-none"), "session_not_found")
    expect((await api.create("adopt-none")).healthy).toBe(true)
  })
})

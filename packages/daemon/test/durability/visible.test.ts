import { expect, test } from "vitest"
import { startDaemon } from "../harness/daemon.ts"
import { keptDirectory } from "./database.ts"

test("what a read says of a session is on disk: its status is true for the sequence beside it, and a kill takes nothing back", async () => {
  const dataDir = keptDirectory()
  await using daemon = await startDaemon({ dataDir })
  const { api } = daemon
  await api.create("one")
  let { lastSequence: from } = await api.session("one")
  let last = ""
  for (let round = 0; round < 12; round++) {
    const { turnId } = await api.send("one", "/stream 3000 50")
    let session = await api.session("one")
    // Asked without a pause, so that some answers fall between a change and its COMMIT.
    while (session.status !== "idle") session = await api.session("one")
    if (round === 11) daemon.kill("SIGKILL")
    else {
      const ended = await api.until("one", "turn.ended", () => true, from)
      expect(ended.sequence).toBeLessThanOrEqual(session.lastSequence)
    }
    from = session.lastSequence
    last = turnId
  }
  await daemon.exited
  await using next = await startDaemon({ dataDir })
  expect((await next.api.session("one")).lastSequence).toBeGreaterThanOrEqual(from)
  const ended = await next.api.until("one", "turn.ended", ({ data }) => data.turn_id === last)
  expect(ended.data.stop_reason).toBe("end_turn")
})

test("a request that a read shows can be found in the log, and one it no longer shows is resolved there", async () => {
  await using daemon = await startDaemon()
  const { api } = daemon
  await api.create("one")
  for (let round = 0; round < 8; round++) {
    await api.send("one", "/stream 2000 50\n/question")
    type Pending = { questions: { question_id: string }[] }
    const pending = (): Promise<Pending> => api.ok("GET", "/v1/sessions/one/pending")
    let open = await pending()
    while (open.questions.length === 0) open = await pending()
    const id = open.questions[0]?.question_id ?? ""
    const logged = (await api.events("one")).find(
      (event) => event.type === "question.requested" && event.data.question_id === id,
    )
    expect(logged, id).toBeDefined()
    const ended = api.until("one", "turn.ended", () => true, logged?.sequence)
    await api.ok("POST", `/v1/sessions/one/questions/${id}/reply`, { answers: [["Red"]] })
    expect((await pending()).questions).toEqual([])
    await ended
  }
})

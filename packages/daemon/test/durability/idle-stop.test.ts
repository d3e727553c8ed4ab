import { expect, test } from "vitest"
import { startDaemon } from "../harness/daemon.ts"
import { childrenOf, gone } from "../supervisor/processes.ts"

test("an idle agent is stopped and resumed by the next message; background work and open requests keep theirs", async () => {
  await using daemon = await startDaemon({ flags: ["--idle-stop-ms", "200"], intervals: { tidyMs: 500 } })
  const { api } = daemon
  for (const id of ["idle", "background", "asking", "wondering", "fresh"]) await api.create(id)
  await api.create("running", { permissionMode: "bypass" })
  await api.send("background", "/background 600000")
  await api.send("asking", "/permission echo allowed")
  await api.send("wondering", "/question")
  await api.send("running", "/run echo on; sleep 1000")
  const turn = await api.turn("idle", "before the stop")
  const { data } = await api.until("asking", "permission.requested")
  await api.until("wondering", "question.requested")
  await api.until("background", "session.updated", (event) => event.data.background === 1)
  await api.until("running", "item.delta")
  const [before, children] = [await api.session("idle"), childrenOf(daemon.pid)]
  const { sequence } = turn.at(-1) ?? { sequence: 0 }

  const stopped = await api.until("idle", "session.updated", (event) => event.data.agent_process === "none", sequence)
  await api.until("fresh", "session.updated", (event) => event.data.agent_process === "none")
  expect(stopped.source).toBe("daemon")
  expect(await api.session("idle")).toMatchObject({
    status: "idle",
    agentProcess: "none",
    nativeSessionId: before.nativeSessionId,
  })
  // The same round looked at all of them.
  for (const id of ["background", "asking", "wondering", "running"])
    expect((await api.session(id)).agentProcess, id).toBe("live")
  const living = childrenOf(daemon.pid)
  const ended = children.filter((pid) => !living.includes(pid))
  for (const pid of ended) await gone(pid)

  const events = await api.turn("idle", "after the stop")
  expect(events.at(-1)).toMatchObject({ type: "turn.ended", data: { stop_reason: "end_turn" } })
  const log = await api.events("idle")
  // By now it may have been stopped again.
  expect(log.slice(stopped.sequence)).toContainEqual(
    expect.objectContaining({ data: expect.objectContaining({ agent_process: "live" }) }),
  )
  expect((await api.session("idle")).nativeSessionId).toBe(before.nativeSessionId)
  expect(log.some((event) => event.type === "session.ended" || event.type === "error")).toBe(false)
  expect((await api.turn("fresh", "the first message")).at(-1)).toMatchObject({
    type: "turn.ended",
    data: { stop_reason: "end_turn" },
  })

  // The request that was open all the time still reaches its agent.
  await api.ok("POST", `/v1/sessions/asking/permissions/${data.permission_id}/reply`, { reply: "once" })
  const result = await api.until("asking", "item.completed", (event) => event.data.item.kind === "tool_result")
  expect(JSON.stringify(result.data.item.content)).toContain("allowed")
})

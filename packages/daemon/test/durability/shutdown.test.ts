import { expect, test } from "vitest"
import { startDaemon, type TestDaemon } from "../harness/daemon.ts"
import { childrenOf, gone, lives } from "../supervisor/processes.ts"
import { expectRowsEqualFold, keptDirectory, storedLog, storedSessions, withDatabase } from "./database.ts"
import { faultsOf } from "./invariants.ts"

/** A daemon with everything that can be in the way of its end, and the processes of it. */
async function busy(dataDir: string): Promise<{ daemon: TestDaemon; pids: number[] }> {
  const daemon = await startDaemon({ dataDir })
  const { api } = daemon
  const scripts = {
    running: "/run echo $$; sleep 1000",
    asking: "/permission echo x",
    wondering: "/questions",
    hanging: "/hang",
    leaving: "/grandchild\n/sleep 60000",
    background: "/background 600000",
    // Last: its log grows with every moment, and is read whole.
    streaming: "/stream 100000000",
  }
  for (const [id, script] of Object.entries(scripts)) {
    await api.create(id, { permissionMode: id === "running" ? "bypass" : "default" })
    await api.send(id, script)
    await api.send(id, `queued in ${id}`, { messageId: "queued" })
  }
  const shell = await api.until("running", "item.delta", ({ data }) => data.part.type === "output")
  const left = await api.until("leaving", "item.completed", ({ data }) => data.item.role === "assistant")
  await api.until("asking", "permission.requested")
  await api.until("wondering", "question.requested")
  await api.until("streaming", "item.delta")
  await api.until("hanging", "item.completed", ({ data }) => data.item.role === "assistant")
  await api.until("background", "session.updated", ({ data }) => data.background === 1)
  await api.until("background", "turn.ended", ({ data }) => data.message_ids.includes("queued"))
  const grandchild = Number(/pid (\d+)/.exec(JSON.stringify(left.data.item.content))?.[1])
  const pids = [...childrenOf(daemon.pid), Number.parseInt(shell.data.delta, 10), grandchild]
  // Seven agents, the watcher, the shell and what was left running.
  expect(pids.length).toBeGreaterThanOrEqual(10)
  expect(pids.map(lives)).toEqual(pids.map(() => true))
  return { daemon, pids }
}

test.each(["SIGTERM", "SIGINT"] as const)(
  "%s ends turns, requests and every process, and no session",
  async (signal) => {
    const dataDir = keptDirectory()
    const { daemon, pids } = await busy(dataDir)
    await using _ = daemon
    daemon.kill(signal)
    expect(await daemon.exited).toBe(0)
    expect(daemon.stderr()).not.toContain("cut short")
    for (const pid of pids) await gone(pid)
    withDatabase(dataDir, (db) => {
      for (const session of storedSessions(db)) {
        const log = storedLog(db, session.uid)
        const cut = log.flatMap((event) =>
          event.type === "turn.ended" && event.data.stop_reason === "error" ? [event.data.error?.code] : [],
        )
        expect(cut, session.id).toEqual(session.id === "background" ? [] : ["daemon_stopping"])
        expect(log.some((event) => event.type === "session.ended")).toBe(false)
        expect(session.status).toBe("idle")
        // The queued message is the one thing that is left to do.
        const open = faultsOf(log).filter((fault) => fault !== "message queued is still queued")
        expect(open, session.id).toEqual([])
        expectRowsEqualFold(db, session)
      }
    })

    await using next = await startDaemon({ dataDir })
    const { sessions } = await next.api.ok<{ sessions: { id: string }[] }>("GET", "/v1/sessions")
    expect(sessions.map((session) => session.id)).toEqual([
      "streaming",
      "background",
      "leaving",
      "hanging",
      "wondering",
      "asking",
      "running",
    ])
    for (const { id } of sessions) {
      const ended = await next.api.until(id, "turn.ended", ({ data }) => data.message_ids.includes("queued"))
      expect(ended.data.stop_reason, id).toBe("end_turn")
      expect(faultsOf(await next.api.events(id)), id).toEqual([])
    }
  },
)

test("a second signal does not wait, and still nothing is left", async () => {
  const { daemon, pids } = await busy(keptDirectory())
  await using _ = daemon
  daemon.kill("SIGTERM")
  daemon.kill("SIGINT")
  expect([0, 130]).toContain(await daemon.exited)
  for (const pid of pids) await gone(pid)
})

test("while it stops, nothing new is taken", async () => {
  const dataDir = keptDirectory()
  await using daemon = await startDaemon({ dataDir })
  const { api } = daemon
  await api.create("one")
  await api.send("one", "/hang")
  await api.until("one", "item.completed", ({ data }) => data.item.role === "assistant")
  const ended = api.until("one", "turn.ended")
  daemon.kill("SIGTERM")
  await ended
  // The agent that hangs holds the daemon for a second more; who is slower than that finds nobody.
  for (const call of [
    api.call("POST", "/v1/sessions/one/messages", { message: "late" }),
    api.call("POST", "/v1/sessions/two", { agent: "mock" }),
  ]) {
    const answer = await call.catch(() => "nobody is there")
    if (typeof answer === "object")
      expect(answer.body).toMatchObject({ status: 503, type: "urn:sandbox-agent:error:unavailable" })
  }
  expect(await daemon.exited).toBe(0)
  await using next = await startDaemon({ dataDir })
  expect(JSON.stringify(await next.api.events("one"))).not.toContain("late")
  expect((await next.api.call("GET", "/v1/sessions/two")).status).toBe(404)
})

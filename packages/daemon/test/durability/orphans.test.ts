import { expect, test } from "vitest"
import { startDaemon, type TestDaemon } from "../harness/daemon.ts"
import { childrenOf, gone, lives } from "../supervisor/processes.ts"
import { keptDirectory } from "./database.ts"
import { faultsOf } from "./invariants.ts"

/** Sessions whose agents have children: in their group, in a group of their own, in a session of their own. */
async function families({ api, pid }: TestDaemon): Promise<number[]> {
  for (const id of ["run", "left", "both"]) await api.create(id, { permissionMode: "bypass" })
  await api.send("run", "/run echo $$; sleep 1000")
  await api.send("left", "/grandchild\n/sleep 100000")
  await api.send("both", "/grandchild\n/run sleep 1000 & echo $!; wait")
  const found: number[] = []
  for (const id of ["run", "both"]) {
    const { data } = await api.until(id, "item.delta", (event) => event.data.part.type === "output")
    found.push(Number.parseInt(data.delta, 10))
  }
  for (const id of ["left", "both"]) {
    const { data } = await api.until(id, "item.completed", (event) => event.data.item.role === "assistant")
    found.push(Number(/pid (\d+)/.exec(JSON.stringify(data.item.content))?.[1]))
  }
  return [...childrenOf(pid), ...found]
}

test("SIGKILL of the daemon takes agents, their commands and what they left running along", async () => {
  const dataDir = keptDirectory()
  await using daemon = await startDaemon({ dataDir })
  const pids = await families(daemon)
  expect(pids.length).toBe(8)
  expect(pids.map(lives)).toEqual(pids.map(() => true))
  daemon.kill("SIGKILL")
  await daemon.exited
  for (const pid of pids) await gone(pid)
})

test("a daemon that starts at once kills what its predecessor left, and only that", async () => {
  const dataDir = keptDirectory()
  await using other = await startDaemon()
  await other.api.create("bystander", { permissionMode: "bypass" })
  await other.api.send("bystander", "/run echo $$; sleep 1000")
  const { data } = await other.api.until("bystander", "item.delta", (event) => event.data.part.type === "output")
  await using daemon = await startDaemon({ dataDir })
  const pids = await families(daemon)
  daemon.kill("SIGKILL")
  await daemon.exited
  await using next = await startDaemon({ dataDir })
  expect((await next.api.turn("run", "on with it")).at(-1)?.type).toBe("turn.ended")
  for (const pid of pids) await gone(pid)
  expect(lives(Number.parseInt(data.delta, 10))).toBe(true)
  expect(childrenOf(next.pid).length).toBeGreaterThan(0)
})

test("SIGKILL of one agent ends its turn by name, takes its children along, and the next message resumes it", async () => {
  await using daemon = await startDaemon()
  const { api } = daemon
  await api.create("one", { permissionMode: "bypass" })
  await api.turn("one", "remember me")
  const before = await api.session("one")
  const agents = await api.ok<{ process: { pid: number } }>("GET", "/v1/agents/mock")
  await api.send("one", "/grandchild\n/run echo $$; sleep 1000")
  const { data } = await api.until("one", "item.delta", (event) => event.data.part.type === "output")
  const left = await api.until("one", "item.completed", (event) =>
    /grandchild pid/.test(JSON.stringify(event.data.item)),
  )
  const children = [Number.parseInt(data.delta, 10), Number(/pid (\d+)/.exec(JSON.stringify(left.data))?.[1])]
  expect(children.map(lives)).toEqual([true, true])
  process.kill(agents.process.pid, "SIGKILL")
  const ended = await api.until("one", "turn.ended", (event) => event.data.stop_reason === "error")
  expect(ended.data.error).toMatchObject({ code: "agent_process_exited", signal: "SIGKILL" })
  for (const pid of children) await gone(pid)
  await api.turn("one", "still there?")
  const after = await api.session("one")
  expect([after.nativeSessionId, after.status]).toEqual([before.nativeSessionId, "idle"])
  const log = await api.events("one")
  expect(faultsOf(log)).toEqual([])
  expect(log.some((event) => event.type === "session.ended")).toBe(false)
})

test("DELETE and terminate take a whole family along", async () => {
  await using daemon = await startDaemon()
  const pids = await families(daemon)
  const watcher = childrenOf(daemon.pid).filter((pid) => pids.includes(pid))
  await daemon.api.ok("DELETE", "/v1/sessions/run")
  await daemon.api.ok("DELETE", "/v1/sessions/left")
  await daemon.api.ok("POST", "/v1/sessions/both/terminate", {})
  const rest = pids.filter(lives)
  // Only the watcher stays.
  expect(rest.length).toBe(1)
  expect(watcher).toContain(rest[0])
})

import { expect, test } from "vitest"
import { startTimeOf } from "../../src/supervisor/proc.ts"
import { createSupervisor } from "../../src/supervisor/supervisor.ts"
import { childrenOf, gone, lives, start } from "./processes.ts"

test("list shows the living, the recorder hears of each start and end", async () => {
  const reported: unknown[] = []
  const record = {
    started: (pid: number, startTime: number, owner: string, label: string) => {
      const really = startTimeOf(pid) ?? 0
      reported.push(["started", pid, Math.abs(startTime - really) < 1_000, owner, label])
    },
    ended: (pid: number) => reported.push(["ended", pid]),
  }
  const supervisor = createSupervisor({ daemonId: "list-test", log: () => {}, record })
  // A shell that waits by itself: one that becomes another program has next to no memory for a moment.
  const { child, line } = start(supervisor, "echo ready; read -r word", { owner: "s1", label: "agent one" })
  await line(0)
  const [listed, ...others] = supervisor.list()
  expect(listed).toMatchObject({ pid: child.pid, owner: "s1", label: "agent one", startedAt: child.startedAt })
  expect(listed?.rss).toBeGreaterThan(100_000)
  expect(others).toEqual([])
  await supervisor.stopAll()
  expect(supervisor.list()).toEqual([])
  expect(reported).toEqual([
    ["started", child.pid, true, "s1", "agent one"],
    ["ended", child.pid],
  ])
})

test("a recorder that fails costs no agent", async () => {
  const record = {
    started: () => {
      throw new Error("disk full")
    },
    ended: () => {
      throw new Error("disk full")
    },
  }
  const warnings: string[] = []
  const log = (level: string, message: string) => void (level === "warn" && warnings.push(message))
  const supervisor = createSupervisor({ daemonId: "recorder-test", log, record })
  const { child } = start(supervisor, "exit 2")
  expect(await child.exited).toMatchObject({ code: 2 })
  await supervisor.stopAll()
  expect(warnings).toEqual(["a process could not be recorded", "a process could not be recorded"])
})

test("killOwner kills the children of that owner and of no other", async () => {
  const supervisor = createSupervisor({ daemonId: "owner-test", log: () => {} })
  const [one, two, other] = ["a", "a", "b"].map((owner) => start(supervisor, "exec sleep 1000", { owner }))
  await supervisor.killOwner("a")
  expect([one, two, other].map((started) => started?.child.alive)).toEqual([false, false, true])
  expect(one?.exits[0]).toMatchObject({ signal: "SIGKILL" })
  await supervisor.stopAll()
})

test("stopAll ends all children, also the stubborn, with all they started, and the watcher", async () => {
  const supervisor = createSupervisor({ daemonId: "all-test", log: () => {} })
  const before = childrenOf(process.pid)
  const stubborn = "trap '' TERM; setsid sleep 1000 >/dev/null 2>&1 & echo $!; while :; do sleep 0.02; done"
  const started = [start(supervisor, stubborn), start(supervisor, stubborn), start(supervisor, "echo ready; exec cat")]
  const first = await Promise.all(started.map(({ line }) => line(0)))
  const ours = childrenOf(process.pid).filter((pid) => !before.includes(pid))
  // Three children and the one watcher.
  expect(ours.length).toBe(4)
  await supervisor.stopAll()
  // The third goes by itself, unless the machine is so busy that it is ended before it gets to that.
  expect(started.map(({ exits }) => exits.length)).toEqual([1, 1, 1])
  expect(started.slice(0, 2).map(({ exits }) => exits[0]?.signal)).toEqual(["SIGKILL", "SIGKILL"])
  for (const pid of [...first.slice(0, 2).map(Number), ...ours]) await gone(pid)
  expect(() => start(supervisor, "true")).toThrow("the daemon is stopping")
  expect(childrenOf(process.pid).filter((pid) => ours.includes(pid) && lives(pid))).toEqual([])
})

import { readFileSync } from "node:fs"
import { expect, test } from "vitest"
import { startDaemon } from "../harness/daemon.ts"
import { childrenOf, gone, halt, killAfterTest, lives, stateOf, until } from "../supervisor/processes.ts"
import { keptDirectory } from "./database.ts"
import { parentOf, takeWaysOut, waysOut } from "./ways-out.ts"

const commandOf = (pid: number): string => readFileSync(`/proc/${pid}/cmdline`, "latin1")

const count = Object.keys(waysOut).length

/** All of them alive, and ended with the test should the daemon not do it. */
function expectAlive(pids: number[]): void {
  for (const pid of pids) killAfterTest(pid)
  expect(pids.map(lives)).toEqual(pids.map(() => true))
}

for (const [what, method, path] of [
  ["DELETE", "DELETE", "/v1/sessions/one"],
  ["terminate", "POST", "/v1/sessions/one/terminate"],
] as const) {
  test(`${what} takes along what got out of its agent, and nothing of another session`, async () => {
    await using daemon = await startDaemon({ compiled: true })
    const pids = await takeWaysOut(daemon, "one")
    const sibling = await takeWaysOut(daemon, "sibling")
    expectAlive([...pids, ...sibling])
    expect(pids.length).toBe(count)
    await daemon.api.ok(method, path, method === "POST" ? {} : undefined)
    for (const pid of pids) await gone(pid)
    expect(sibling.map(lives)).toEqual(sibling.map(() => true))
    expect((await daemon.api.turn("sibling", "still there?")).at(-1)?.type).toBe("turn.ended")
  })
}

for (const signal of ["SIGTERM", "SIGKILL"] as const) {
  test(`${signal} of the daemon takes along what got out of its agents, and nothing of another daemon`, async () => {
    await using other = await startDaemon({ compiled: true })
    const theirs = await takeWaysOut(other, "bystander")
    await using daemon = await startDaemon({ compiled: true, dataDir: keptDirectory() })
    const pids = [...(await takeWaysOut(daemon, "one")), ...(await takeWaysOut(daemon, "two"))]
    expectAlive([...pids, ...theirs])
    daemon.kill(signal)
    await daemon.exited
    for (const pid of pids) await gone(pid)
    expect(theirs.map(lives)).toEqual(theirs.map(() => true))
    await other.api.ok("DELETE", "/v1/sessions/bystander")
    for (const pid of theirs) await gone(pid)
  })
}

test("a daemon that starts on the directory of a killed one finds what got out, also without its watcher", async () => {
  const dataDir = keptDirectory()
  await using daemon = await startDaemon({ dataDir })
  const pids = await takeWaysOut(daemon, "one")
  expectAlive(pids)
  const halted = childrenOf(daemon.pid).filter((pid) => !pids.includes(pid))
  for (const pid of halted) {
    killAfterTest(pid)
    await halt(pid)
  }
  daemon.kill("SIGKILL")
  await daemon.exited
  expect(pids.map(lives)).toEqual(pids.map(() => true))
  await using next = await startDaemon({ dataDir })
  expect(await next.api.session("one")).toMatchObject({ id: "one" })
  for (const pid of pids) await gone(pid)
})

/** Meant to: not even the limit is left. */
const unmarked = {
  "without the limit": `setsid env -i bash -c "ulimit -S -x unlimited; echo \\$\\$ >$FILE; exec sleep 1000" &`,
}

test("who sheds every mark is a child of the daemon, and ends with its last agent or with the daemon", async () => {
  await using daemon = await startDaemon()
  const [first = 0] = await takeWaysOut(daemon, "one", unmarked)
  expectAlive([first])
  await until(() => parentOf(first) === daemon.pid, "adoption")
  await daemon.api.ok("DELETE", "/v1/sessions/one")
  await gone(first)
  const [second = 0] = await takeWaysOut(daemon, "two", unmarked)
  expectAlive([second])
  expect(await daemon.stop()).toBe(0)
  expect(lives(second)).toBe(false)
})

test("what a shell started before it became the daemon is no agent's", async () => {
  await using daemon = await startDaemon({ behind: "sleep 1000 >/dev/null 2>&1 & exec" })
  const before = childrenOf(daemon.pid).find((pid) => commandOf(pid).startsWith("sleep")) ?? 0
  await takeWaysOut(daemon, "one")
  expectAlive([before])
  await daemon.api.ok("DELETE", "/v1/sessions/one")
  await daemon.stop()
  expect(lives(before)).toBe(true)
})

test("dead orphans do not stay as zombies while their agent lives", async () => {
  await using daemon = await startDaemon()
  const pids = await takeWaysOut(daemon, "one")
  expectAlive(pids)
  for (const pid of pids) {
    await until(() => parentOf(pid) === daemon.pid, "adoption")
    process.kill(pid, "SIGKILL")
  }
  const left = () => pids.filter((pid) => stateOf(pid) !== undefined)
  // An agent's words are the occasion; each turn has some.
  for (let turns = 100; left().length > 0 && turns > 0; turns--) await daemon.api.turn("one", "/sleep 50")
  expect(left()).toEqual([])
})

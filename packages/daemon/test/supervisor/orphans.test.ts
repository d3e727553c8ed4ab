import { readFileSync } from "node:fs"
import { afterAll, expect, test } from "vitest"
import { daemonLimitTag, LimitTags } from "../../src/supervisor/limit-tag.ts"
import { startTimeOf } from "../../src/supervisor/proc.ts"
import { reapLastRun } from "../../src/supervisor/reap.ts"
import { createSupervisor } from "../../src/supervisor/supervisor.ts"
import { sweepDaemon } from "../../src/supervisor/sweep.ts"
import { eachInPs, eachTaggedProcess } from "../../src/supervisor/tagged-processes.ts"
import { gone, killAfterTest, lives, moved, start, unmarked, until } from "./processes.ts"

const supervisor = createSupervisor({ daemonId: "orphan-test", log: () => {} })
const strangers: Bun.Subprocess[] = []
afterAll(async () => {
  for (const stranger of strangers) stranger.kill("SIGKILL")
  await supervisor.stopAll()
})

/** Once its environment can be read: of a program that is being loaded the kernel shows none. */
async function stranger(env: Record<string, string>): Promise<number> {
  const process = Bun.spawn(["sleep", "1000"], { env: { PATH: "/usr/bin:/bin", ...env }, detached: true })
  strangers.push(process)
  await until(() => readFileSync(`/proc/${process.pid}/environ`).length > 0, "a stranger's environment")
  return process.pid
}

const apart = "setsid sleep 1000 >/dev/null 2>&1 & echo $!"

test("kill and stop reach a grandchild in its own session", async () => {
  for (const end of ["kill", "stop"] as const) {
    const { child, line } = start(supervisor, `${apart}; exec cat`)
    const grandchild = Number(await line(0))
    await moved(grandchild, "sleep")
    await child[end]()
    await gone(grandchild)
  }
})

test("a crash of the child takes its group and all tagged processes along", async () => {
  const { child, line, lines } = start(
    supervisor,
    `${apart}; env -u SANDBOX_AGENT_COOKIE sleep 1000 & echo $!; read -r go; kill -SEGV $$`,
  )
  await moved(Number(await line(0)), "sleep")
  await child.write("go")
  expect(await child.exited).toMatchObject({ signal: "SIGSEGV" })
  await child.kill()
  expect(lines.length).toBe(2)
  for (const pid of lines.map(Number)) await gone(pid)
})

test("a stdout held open by a grandchild that cannot be found does not hold the report", async () => {
  const escaped = `${unmarked("sleep 1000")} & echo $!`
  const { child, line } = start(supervisor, `${escaped}; read -r go; echo last; exit 6`)
  const grandchild = Number(await line(0))
  killAfterTest(grandchild)
  await moved(grandchild, "sleep")
  await child.write("go")
  expect(await child.exited).toMatchObject({ code: 6 })
  expect(await line(1)).toBe("last")
  expect(lives(grandchild)).toBe(true)
})

test("such a grandchild may even go on writing", async () => {
  const first = Promise.withResolvers<number>()
  const { child } = start(supervisor, `${unmarked("yes")} & echo $!; read -r go; exit 6`, {
    onLine: (line) => void (line === "y" || first.resolve(Number(line))),
  })
  const grandchild = await first.promise
  killAfterTest(grandchild)
  await moved(grandchild, "yes")
  await child.write("go")
  expect(await child.exited).toMatchObject({ code: 6 })
  // Its pipe is closed with our end of it.
  await gone(grandchild)
})

test("the end of one child spares the next one of the same owner", async () => {
  const first = start(supervisor, "exec cat")
  const second = start(supervisor, `${apart}; exec cat`)
  const grandchild = Number(await second.line(0))
  await moved(grandchild, "sleep")
  await first.child.kill()
  expect([second.child.alive, lives(grandchild)]).toEqual([true, true])
  await second.child.kill()
  await gone(grandchild)
})

test("a sweep kills processes with its tag and nobody else", async () => {
  const mine = await Promise.all([
    stranger({ SANDBOX_AGENT_COOKIE: "old-1:ab.1:x" }),
    stranger({ SANDBOX_AGENT_COOKIE: "old-1:cd.2:y" }),
  ])
  const others = await Promise.all([
    stranger({}),
    stranger({ SANDBOX_AGENT_COOKIE: "old-12:ab.1:x" }),
    stranger({ NOTE: "SANDBOX_AGENT_COOKIE=old-1:ab.1:x" }),
    stranger({ MY_SANDBOX_AGENT_COOKIE: "old-1:ab.1:x" }),
  ])
  const found: number[] = []
  await eachTaggedProcess([{ processTag: "old-1:" }], (pid) => found.push(pid))
  expect(new Set(found)).toEqual(new Set(mine))
  await sweepDaemon("old-1")
  for (const pid of mine) await gone(pid)
  expect(others.map(lives)).toEqual([true, true, true, true])
})

test("a sweep finds by the limit tag who shed the environment, and nobody with another", async () => {
  const ids = ["old-3", "old-4"] as const
  const [mine, other] = ids.map((daemonId) => ({
    processTag: `${daemonId}:`,
    tag: new LimitTags(daemonId).next() ?? "",
  }))
  const limited = (tag = "") => {
    const process = Bun.spawn(["bash", "-c", `ulimit -S -x ${tag}; echo; exec sleep 1000`], { stdout: "pipe", env: {} })
    strangers.push(process)
    return process
  }
  const [first, second] = [limited(mine?.tag), limited(other?.tag)]
  for (const { stdout } of [first, second]) await stdout.getReader().read()
  const found: number[] = []
  await eachTaggedProcess([{ processTag: "old-3:", limitTag: mine?.tag }], (pid) => found.push(pid))
  expect(found).toEqual([first.pid])
  await sweepDaemon("old-3")
  await gone(first.pid)
  expect(lives(second.pid)).toBe(true)
})

test("where there is no /proc, ps finds the same", async () => {
  const tagged = await stranger({ SANDBOX_AGENT_COOKIE: "old-2:ab.1:x" })
  await stranger({ SANDBOX_AGENT_COOKIE: "old-22:ab.1:x" })
  const found: number[] = []
  await eachInPs([{ processTag: "old-2:" }], (pid) => found.push(pid))
  expect(found).toEqual([tagged])
})

test("tags have one length, tell daemons and runs apart, and are used again when all are", () => {
  const ids = Array.from({ length: 1_000 }, (_, index) => `daemon ${index}`)
  expect(new Set(ids.map(daemonLimitTag)).size).toBe(ids.length)
  const tags = new LimitTags("daemon 0")
  const given = Array.from({ length: 10_000 }, () => tags.next() ?? "")
  expect(new Set(given).size).toBe(10_000)
  for (const tag of given) expect(tag).toMatch(/^[1-8][0-9]{18}$/)
  expect(given.every((tag) => tag.startsWith(tags.run) && tags.run.startsWith(daemonLimitTag("daemon 0")))).toBe(true)
  expect(tags.next()).toBeUndefined()
  tags.release(given[77] ?? "")
  expect(tags.next()).toBe(given[77])
})

test("a last run's process is killed when pid and start time are still its own", async () => {
  const [same, reused] = [await stranger({}), await stranger({})]
  const startTime = startTimeOf(same) ?? 0
  expect(Math.abs(Date.now() - startTime)).toBeLessThan(60_000)
  const records = [
    { pid: same, startTime },
    { pid: reused, startTime: startTime - 3_600_000 },
    { pid: 4_194_304, startTime },
    { pid: process.pid, startTime: startTimeOf(process.pid) ?? 0 },
  ]
  expect(reapLastRun(records)).toEqual([same])
  await gone(same)
  expect(lives(reused)).toBe(true)
})

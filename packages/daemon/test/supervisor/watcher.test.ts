import { readFileSync } from "node:fs"
import { constants } from "node:os"
import { afterEach, expect, test } from "vitest"
import { Watcher, watcherScript } from "../../src/supervisor/watcher.ts"
import { childrenOf, gone, ignores, lives, sessionOf, stateOf, until } from "./processes.ts"

interface Doomed {
  daemon: Bun.Subprocess<"pipe", "pipe", "pipe">
  /** Its next words. */
  says(): Promise<string>
  child: number
  grandchild: number
  watcher: number
}

const started: Doomed[] = []
const sleepers: Bun.Subprocess[] = []
afterEach(() => {
  for (const sleeper of sleepers.splice(0)) sleeper.kill("SIGKILL")
  for (const { daemon, child, grandchild } of started.splice(0)) {
    daemon.kill("SIGKILL")
    for (const pid of [child, grandchild]) if (lives(pid)) process.kill(pid, "SIGKILL")
  }
})

async function doom(): Promise<Doomed> {
  const daemon = Bun.spawn([process.execPath, `${import.meta.dirname}/doomed.ts`], {
    ...({ stdin: "pipe", stdout: "pipe", stderr: "pipe" } as const),
    detached: true,
  })
  const reader = daemon.stdout.getReader()
  const says = async () => new TextDecoder().decode((await reader.read()).value)
  const [child = 0, grandchild = 0] = (await says()).split(" ").map(Number)
  const doomed = { daemon, says, child, grandchild, watcher: watcherOf(daemon.pid, child) ?? 0 }
  started.push(doomed)
  expect([child, grandchild, doomed.watcher].map(lives)).toEqual([true, true, true])
  return doomed
}

function sleeper(): Bun.Subprocess {
  const process = Bun.spawn(["sleep", "1000"], { detached: true })
  sleepers.push(process)
  return process
}

const watcherOf = (daemon: number, child: number) => childrenOf(daemon).find((pid) => pid !== child)

async function allGone({ child, grandchild, watcher }: Doomed): Promise<void> {
  for (const pid of [child, grandchild, watcher]) await gone(pid)
}

test("SIGKILL of the daemon ends child, grandchild in its own session, and watcher", async () => {
  const doomed = await doom()
  await until(() => sessionOf(doomed.grandchild) === doomed.grandchild, "setsid")
  doomed.daemon.kill("SIGKILL")
  await allGone(doomed)
})

test("an exit without a word does the same", async () => {
  const doomed = await doom()
  doomed.daemon.stdin.write("exit\n")
  expect(await doomed.daemon.exited).toBe(3)
  await allGone(doomed)
})

test("the watcher sits in its own session, without the process tag, and signals to end do not end it", async () => {
  const doomed = await doom()
  expect(sessionOf(doomed.watcher)).toBe(doomed.watcher)
  const seen = readFileSync(`/proc/${doomed.watcher}/environ`) + String(readFileSync(`/proc/${doomed.watcher}/cmdline`))
  expect(seen).not.toContain("SANDBOX_AGENT_COOKIE=")
  await until(() => ignores(doomed.watcher, constants.signals.SIGPIPE), "the last of the watcher's traps")
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.kill(doomed.watcher, signal)
  // At once, so that a watcher that did die is not replaced in time.
  doomed.daemon.kill("SIGKILL")
  await allGone(doomed)
})

test("a watcher that was killed is replaced by one that knows the children", async () => {
  const doomed = await doom()
  process.kill(doomed.watcher, "SIGKILL")
  const next = () => childrenOf(doomed.daemon.pid).find((pid) => pid !== doomed.child && pid !== doomed.watcher)
  await until(() => next() !== undefined, "a new watcher")
  doomed.watcher = next() ?? 0
  // Who answers has told the new one whom it started, in the same moment.
  doomed.daemon.stdin.write("ping\n")
  expect(await doomed.says()).toBe("pong\n")
  // It has read that and waits for more; before that it knows no children.
  const waits = () => ignores(doomed.watcher, constants.signals.SIGPIPE) && stateOf(doomed.watcher) === "S"
  await until(waits, "a watcher that waits")
  doomed.daemon.kill("SIGKILL")
  await allGone(doomed)
})

test("after a clean stop the daemon ends by itself and nothing is left", async () => {
  const doomed = await doom()
  doomed.daemon.stdin.write("stop\n")
  expect(await doomed.daemon.exited).toBe(0)
  await allGone(doomed)
  expect(await new Response(doomed.daemon.stderr).text()).not.toContain("warn")
})

test("groups that left are not killed, those that stayed are", async () => {
  const [left, first, last] = [sleeper(), sleeper(), sleeper()]
  const watcher = Bun.spawn(["sh", "-c", watcherScript], { stdin: "pipe", stderr: "ignore", detached: true })
  for (const { pid } of [first, left, last]) watcher.stdin.write(`+ ${pid}\n`)
  watcher.stdin.write(`- ${left.pid}\n- 99999999\n`)
  watcher.stdin.end()
  await watcher.exited
  expect([await first.exited, await last.exited]).toEqual([137, 137])
  expect(lives(left.pid)).toBe(true)
})

test("without sh there is a warning and no watcher", () => {
  const path = process.env.PATH
  const warnings: string[] = []
  process.env.PATH = "/nowhere"
  try {
    const watcher = new Watcher(
      { processTag: "nobody:" },
      (level, message) => void warnings.push(`${level}: ${message}`),
    )
    watcher.start()
    watcher.add(1)
    watcher.remove(1)
    expect(watcher.pid).toBeUndefined()
  } finally {
    process.env.PATH = path
  }
  expect(warnings).toEqual([expect.stringMatching(/^warn: no watcher/)])
})

import { afterAll, expect, test } from "vitest"
import { createSupervisor } from "../../src/supervisor/supervisor.ts"
import { gone, lives, sessionOf, start } from "./processes.ts"

const supervisor = createSupervisor({ daemonId: "child-test", log: () => {} })
afterAll(() => supervisor.stopAll())

test("the exit tells code and stderr, once, after the last line", async () => {
  const seen: (string | number)[] = []
  const { child } = start(supervisor, "seq 1 50000; echo broken >&2; printf last; exit 3", {
    onLine: (line) => seen.push(line),
    onExit: (exit) => seen.push(exit.code ?? "none"),
  })
  expect(await child.exited).toEqual({
    code: 3,
    signal: undefined,
    stderr: { head: "broken", truncated: false, total_lines: 1 },
    message: "script exited with code 3",
  })
  await child.kill()
  await child.stop()
  expect(seen.length).toBe(50_002)
  expect(seen.slice(-3)).toEqual(["50000", "last", 3])
  expect(child.alive).toBe(false)
})

test("the exit tells the signal", async () => {
  const { child, line } = start(supervisor, "echo ready; exec sleep 1000")
  await line(0)
  child.signal("SIGUSR1")
  expect(await child.exited).toMatchObject({ code: undefined, signal: "SIGUSR1" })
})

test("a signal goes to the child alone", async () => {
  // Not SIGINT: what a shell starts in the background ignores that.
  const { child, line } = start(supervisor, "trap 'echo caught' USR1; sleep 1000 & echo $!; while :; do wait; done")
  const other = Number(await line(0))
  child.signal("SIGUSR1")
  expect(await line(1)).toBe("caught")
  expect(lives(other)).toBe(true)
  await child.kill()
  await gone(other)
})

test("a child leads a session of its own", async () => {
  // A shell that waits by itself: one that becomes another program has next to no memory for a moment.
  const { child, line } = start(supervisor, "echo ready; read -r word")
  await line(0)
  expect(sessionOf(child.pid)).toBe(child.pid)
  expect(child.rssBytes()).toBeGreaterThan(100_000)
  await child.stop()
  expect(child.rssBytes()).toBeUndefined()
})

test("stop is polite first: the end of input is enough for a child that reads", async () => {
  const { child } = start(supervisor, "cat; exit 5")
  expect(await child.stop({ politeMs: 3_600_000 })).toMatchObject({ code: 5, signal: undefined })
})

test("then SIGTERM", async () => {
  const { child, line } = start(supervisor, "trap 'exit 7' TERM; echo ready; while :; do sleep 0.02; done")
  await line(0)
  expect(await child.stop({ politeMs: 1, graceMs: 3_600_000 })).toMatchObject({ code: 7 })
})

test("then SIGKILL, for a child that ignores the rest", async () => {
  const { child, line, exits } = start(supervisor, "trap '' TERM; echo ready; while :; do sleep 0.02; done")
  await line(0)
  const [first, second] = await Promise.all([
    child.stop({ politeMs: 1, graceMs: 50 }),
    child.stop({ politeMs: 1, graceMs: 50 }),
  ])
  expect(first).toMatchObject({ signal: "SIGKILL" })
  expect(second).toBe(first)
  expect(exits).toEqual([first])
})

test("kill ends a stop that still waits", async () => {
  const { child, line } = start(supervisor, "trap '' TERM; echo ready; while :; do sleep 0.02; done")
  await line(0)
  const stopped = child.stop({ politeMs: 3_600_000 })
  expect(await child.kill()).toMatchObject({ signal: "SIGKILL" })
  expect(await stopped).toMatchObject({ signal: "SIGKILL" })
})

test("a handler that throws harms neither the next line nor the exit", async () => {
  const lines: string[] = []
  const { child } = start(supervisor, "seq 1 3", {
    onLine: (line) => {
      lines.push(line)
      throw new Error("a fault of ours")
    },
    onExit: () => {
      throw new Error("another")
    },
  })
  expect(await child.exited).toMatchObject({ code: 0 })
  expect(lines).toEqual(["1", "2", "3"])
})

test("a line over the bound is told of and the next one comes", async () => {
  const over: [number, number][] = []
  const { child, lines } = start(supervisor, "head -c 17000000 /dev/zero | tr '\\0' x; echo; echo next", {
    onOversize: (head, bytes) => over.push([head.length, bytes]),
  })
  await child.exited
  expect(over).toEqual([[65_536, 17_000_000]])
  expect(lines).toEqual(["next"])
})

import { readFileSync } from "node:fs"
import { setImmediate, setTimeout as sleep } from "node:timers/promises"
import { limits } from "@sandbox-agent/schema/limits"
import type { FileSink } from "bun"
import { afterAll, expect, test } from "vitest"
import type { Child } from "../../src/core/supervisor.ts"
import { Input } from "../../src/supervisor/input.ts"
import { launch } from "../../src/supervisor/launch.ts"
import { within } from "../../src/supervisor/reading.ts"
import { createSupervisor } from "../../src/supervisor/supervisor.ts"
import { killAfterTest, moved, start, stateOf, unmarked, until } from "./processes.ts"

const supervisor = createSupervisor({ daemonId: "flow-test", log: () => {} })
afterAll(() => supervisor.stopAll())

const bytesWritten = (pid: number) => Number(/wchar: (\d+)/.exec(readFileSync(`/proc/${pid}/io`, "latin1"))?.[1])

/** How much a child has written, or how it ended though it should not have: of its end it tells only when its gate is open. */
async function written(child: Child, openGate: () => void): Promise<number> {
  try {
    return bytesWritten(child.pid)
  } catch {
    openGate()
    throw new Error(`the writer is gone: ${JSON.stringify(await child.exited)}`)
  }
}

test("a closed gate stops the reading and so the writer; opened, nothing was lost", async () => {
  const gate = Promise.withResolvers<void>()
  let closed = false
  const { child, lines, line } = start(supervisor, "exec seq 1 600000", {
    gate: () => {
      if (closed) return undefined
      closed = true
      return gate.promise
    },
  })
  await line(0)
  const before = lines.length
  // The writer is stuck when its count stands still; without the gate it would run to its end and vanish.
  let [same, last] = [0, -1]
  while (same < 10) {
    const now = await written(child, gate.resolve)
    same = now === last ? same + 1 : 0
    last = now
    await sleep(10)
  }
  expect(lines.length).toBe(before)
  expect(child.alive).toBe(true)
  gate.resolve()
  expect(await child.exited).toMatchObject({ code: 0 })
  expect([lines.length, lines.at(-1)]).toEqual([600_000, "600000"])
})

test("a gate closed at the child's death delays its report and loses no line", async () => {
  const gate = Promise.withResolvers<void>()
  const { child, lines, line, exits } = start(supervisor, "echo first; read -r go; seq 1 20000", {
    gate: () => gate.promise,
  })
  // What comes with the first line would pass the gate with it.
  await line(0)
  await child.write("go")
  await until(() => !child.alive, "death")
  // Longer than a pipe may be silent after a death.
  expect(await within(700, child.exited)).toBe(false)
  expect([lines.length, exits.length]).toEqual([1, 0])
  gate.resolve()
  await child.exited
  expect(lines.length).toBe(20_001)
})

test("a gate that never opens does not hold a kill", async () => {
  const { child, line, exits } = start(supervisor, "echo first; exec cat", { gate: () => new Promise(() => {}) })
  await line(0)
  expect(await child.kill()).toMatchObject({ signal: "SIGKILL" })
  expect(exits.length).toBe(1)
})

test("a flood leaves everybody else their turn", async () => {
  let count = 0
  const { child } = start(supervisor, "exec yes", { onLine: () => void count++ })
  let before = -1
  // Each turn of a timer sees some more of it; a reader that kept the event loop would let no timer through.
  for (let turn = 0; turn < 20; turn++) {
    await until(() => count > before, "more lines")
    before = count
  }
  expect(await child.kill()).toMatchObject({ signal: "SIGKILL" })
})

test("a write is done when the pipe has taken it, in order", async () => {
  const { child, line, lines } = start(supervisor, "echo ready; kill -STOP $$; exec cat")
  await line(0)
  await until(() => stateOf(child.pid) === "T", "the child's halt")
  const done: string[] = []
  const big = "x".repeat(5_000_000)
  const writes = [child.write(big).then(() => done.push("big")), child.write("small").then(() => done.push("small"))]
  for (let turn = 0; turn < 20; turn++) await setImmediate()
  expect(done).toEqual([])
  child.signal("SIGCONT")
  await Promise.all(writes)
  expect(done).toEqual(["big", "small"])
  child.endInput()
  expect(await child.exited).toMatchObject({ code: 0 })
  expect(lines.slice(1).map((text) => text.length)).toEqual([big.length, 5])
})

test("writes do not pile up for a child that does not read", async () => {
  const { child } = start(supervisor, "exec sleep 1000")
  const quarter = "x".repeat(limits.requestBodyBytes / 4)
  const taken = [1, 2, 3, 4].map(() => child.write(quarter))
  await expect(child.write("one more")).rejects.toMatchObject({ code: "unavailable" })
  const results = Promise.allSettled(taken)
  await child.kill()
  const failures = (await results).map((result) => result.status === "rejected" && result.reason.code)
  expect(failures).toEqual(Array(4).fill("agent_process_exited"))
})

test("a write to a dead child says how it died", async () => {
  const { child } = start(supervisor, "echo why >&2; exit 4")
  await child.exited
  await expect(child.write("hello")).rejects.toMatchObject({
    code: "agent_process_exited",
    detail: "script exited with code 4",
    context: { exitCode: 4 },
  })
  child.endInput()
  child.signal("SIGTERM")
})

test("a write that meets the death of the child says how it died", async () => {
  const { child, line } = start(supervisor, "echo ready; read -r word; echo why >&2; exit 4")
  await line(0)
  const written = child.write(`go\n${"x".repeat(5_000_000)}`)
  await expect(written).rejects.toMatchObject({ code: "agent_process_exited", context: { exitCode: 4 } })
})

test("a write ends with the child, although a descendant that cannot be found holds the pipe", async () => {
  const holder = `${unmarked("sleep 1000")} <&0 >/dev/null 2>&1 & echo $!`
  const { child, line } = start(supervisor, `${holder}; read -r go; exit 4`)
  const pid = Number(await line(0))
  killAfterTest(pid)
  await moved(pid, "sleep")
  const written = child.write(`go\n${"x".repeat(5_000_000)}`)
  await expect(written).rejects.toMatchObject({ code: "agent_process_exited", context: { exitCode: 4 } })
})

test("a write ends with the child's report, although the process itself does not die", async () => {
  const process = launch({ label: "stuck", command: ["sleep", "1000"], directory: "/", env: { PATH: "/usr/bin:/bin" } })
  killAfterTest(process.pid)
  const input = new Input(process.stdin, "stuck")
  const writes = Promise.allSettled([input.write("x".repeat(5_000_000)), input.write("next")])
  await setImmediate()
  const reason = new Error("given up")
  input.close(reason)
  const rejected = { status: "rejected", reason }
  expect(await writes).toEqual([rejected, rejected])
})

test("a write to a child that closed its input is refused", async () => {
  const { child, line } = start(supervisor, "exec 0<&-; echo closed; exec sleep 1000")
  await line(0)
  await expect(child.write("hello")).rejects.toMatchObject({
    code: "agent_process_exited",
    detail: "script closed its input",
  })
  expect(child.alive).toBe(true)
  await child.kill()
})

test("a write after the end of input is refused", async () => {
  const { child, lines } = start(supervisor, "exec cat")
  const first = child.write("first")
  child.endInput()
  await expect(child.write("second")).rejects.toMatchObject({ code: "agent_process_exited" })
  await first
  await child.exited
  expect(lines).toEqual(["first"])
})

test("a pipe that refuses bytes and their flush at once is one error, and leaves no rejection behind", async () => {
  const broken = () => new Error("EPIPE: broken pipe, write")
  const flush = () => {
    throw broken()
  }
  const sink = { write: () => Promise.reject(broken()), flush, end: () => 0 } as unknown as FileSink
  const unhandled: unknown[] = []
  const note = (error: unknown) => unhandled.push(error)
  process.on("unhandledRejection", note)
  await expect(new Input(sink, "broken").write("line")).rejects.toThrow("EPIPE")
  await sleep(10)
  process.off("unhandledRejection", note)
  expect(unhandled).toEqual([])
})

import { limits } from "@sandbox-agent/schema/limits"
import { afterAll, expect, test } from "vitest"
import { createSupervisor } from "../../src/supervisor/supervisor.ts"
import { start } from "./processes.ts"

const supervisor = createSupervisor({ daemonId: "stderr-test", log: () => {} })
afterAll(() => supervisor.stopAll())

const stderrOf = async (script: string) => (await start(supervisor, script).child.exited).stderr
const numbers = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index).join("\n")

test("70 lines are all kept", async () => {
  expect(await stderrOf("seq 1 70 >&2")).toEqual({ head: numbers(1, 70), truncated: false, total_lines: 70 })
})

test.each([71, 100_000])("of %i lines the first 20 and the last 50 are kept", async (total) => {
  expect(await stderrOf(`seq 1 ${total} >&2`)).toEqual({
    head: numbers(1, 20),
    tail: numbers(total - 49, total),
    truncated: true,
    total_lines: total,
  })
})

test("a long line is cut and counted once", async () => {
  const script = "{ echo a; head -c 3000000 /dev/zero | tr '\\0' x; echo; printf b; } >&2"
  expect(await stderrOf(script)).toEqual({
    head: `a\n${"x".repeat(limits.stderrLineBytes)}\nb`,
    truncated: true,
    total_lines: 3,
  })
})

test("silence is not reported", async () => {
  expect(await stderrOf("echo out")).toBeUndefined()
})

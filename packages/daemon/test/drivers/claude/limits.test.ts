import { claudeLimits } from "@sandbox-agent/schema/limits"
import { expect, test } from "vitest"
import { WaitingCalls } from "../../../src/drivers/claude/waiting-calls.ts"

test("waitingCalls: beyond them the oldest call is forgotten, and one that is answered makes room", () => {
  const calls = new WaitingCalls()
  for (let n = 0; n <= claudeLimits.waitingCalls; n++) calls.add(`c${n}`, { name: "Bash", input: { n } })
  expect(calls.take("c0")).toBeUndefined()
  expect(calls.take("c1")?.input).toEqual({ n: 1 })
  calls.add("more", { name: "Bash", input: {} })
  expect(calls.take("c2")?.input).toEqual({ n: 2 })
})

test("waitingInputChars: beyond them the oldest calls lose what they were called with, and keep their names", () => {
  const calls = new WaitingCalls()
  const content = "x".repeat(claudeLimits.waitingInputChars / 4)
  for (let n = 0; n < 6; n++) calls.add(`c${n}`, { name: "Write", input: { file_path: `${n}`, content }, parent: "p" })
  const inputs = Array.from({ length: 6 }, (_, n) => calls.take(`c${n}`))
  expect(inputs.map((call) => [call?.name, call?.parent])).toEqual(inputs.map(() => ["Write", "p"]))
  expect(inputs.map((call) => call?.input.file_path)).toEqual([undefined, undefined, undefined, "3", "4", "5"])
  // All were taken: there is room again.
  calls.add("again", { name: "Write", input: { content } })
  expect(calls.take("again")?.input).toEqual({ content })
})

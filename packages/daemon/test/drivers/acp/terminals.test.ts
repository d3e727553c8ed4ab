import { acpAgentLimits } from "@sandbox-agent/schema/driver-limits"
import { afterAll, beforeAll, expect, test } from "vitest"
import { Tail } from "../../../src/drivers/acp/tail.ts"
import type { TestDaemon } from "../../harness/daemon.ts"
import { answersIn, play, startPuppet } from "../../hostile/puppet.ts"

let daemon: TestDaemon
beforeAll(async () => {
  daemon = await startPuppet()
})
afterAll(async () => {
  await daemon?.stop()
})

/** What the agent gets of a command that it has us run, with the limit it asks for. */
async function outputOf(id: string, command: string, outputByteLimit: unknown) {
  await daemon.api.create(id, { agent: "puppet" })
  const terminal = { terminalId: "term-1" }
  const events = await play(daemon, id, [
    { request: "terminal/create", params: { command, outputByteLimit } },
    { request: "terminal/wait_for_exit", params: terminal },
    { request: "terminal/output", params: terminal },
  ])
  const [created, , got] = answersIn(events)
  expect(created).toEqual(terminal)
  return got as { output: string; truncated: boolean }
}

const plenty = "yes | head -n 1000000; echo the end"

test.each([
  ["nothing", 0, 0],
  ["less than nothing", -7, 0],
  ["a part of a byte", 0.5, 0],
  ["a little", 8, 8],
  ["more than there is", 1e15, acpAgentLimits.terminalBytes],
  ["as much as is given", undefined, acpAgentLimits.terminalBytes],
])("an agent that wants %s of a long output gets that much of its end", async (name, limit, bytes) => {
  const { output, truncated } = await outputOf(name.replaceAll(" ", "-"), plenty, limit)
  expect([output.length, truncated]).toEqual([bytes, true])
  expect("y\nthe end\n".endsWith(output.slice(-8))).toBe(true)
})

test("what fits is whole; what does not is cut where a character begins", async () => {
  expect(await outputOf("fits", "echo äöü", 7)).toMatchObject({ output: "äöü\n", truncated: false })
  expect(await outputOf("cut", "echo äöü", 4)).toMatchObject({ output: "ü\n", truncated: true })
})

test("of a text that grows in pieces of any size its end is kept", () => {
  for (const size of [1, 7, 1_500, 4_000, 9_000]) {
    const tail = new Tail(3_000)
    let whole = ""
    for (let n = 0; whole.length < 30_000; n++) {
      const piece = String(n).padEnd(size, "x")
      whole += piece
      tail.add(piece)
      expect(tail.text).toBe(whole.slice(-3_000))
      expect(tail.truncated).toBe(whole.length > 3_000)
    }
  }
})

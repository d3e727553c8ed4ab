import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, statSync } from "node:fs"
import { dirname, join } from "node:path"
import { ampLimits } from "@sandbox-agent/schema/driver-limits"
import { limits } from "@sandbox-agent/schema/limits"
import { daemonProgram } from "@sandbox-agent/test-agents/daemon-program"
import { afterEach, expect, test } from "vitest"
import { Gate } from "../../../src/drivers/amp/gate.ts"
import { makePlace, type Place } from "../../../src/drivers/amp/place.ts"
import { scratch } from "../../harness/daemon.ts"
import { until } from "../../supervisor/processes.ts"
import { askAt } from "./replay.ts"

const directory = scratch()
const host = { home: join(directory, "amp"), asAgent: <T>(work: () => T): T => work(), log: () => {} }
const asked: { key: string; line: string }[] = []
const left: string[] = []
let gate: Gate
let place: Place

function open(home = host.home, self: readonly string[] = daemonProgram()): void {
  mkdirSync(home, { recursive: true })
  place = makePlace("a session/with.anything", self, { ...host, home })
  const events = {
    asked: (key: string, line: string) => void asked.push({ key, line }),
    left: (key: string) => void left.push(key),
  }
  gate = new Gate(place.socket, events, host)
}

afterEach(() => {
  gate.close()
  place.remove()
  asked.length = 0
  left.length = 0
  rmSync(host.home, { recursive: true, force: true })
})

/** The delegate as Amp starts it. */
function delegate(input: string): Bun.Subprocess<"pipe", "pipe", "pipe"> {
  const env = { PATH: process.env.PATH, AGENT_TOOL_NAME: "Bash", AGENT_TOOL_USE_ID: "toolu_1" }
  const child = Bun.spawn([place.program], { env, stdin: "pipe", stdout: "pipe", stderr: "pipe" })
  child.stdin.write(input)
  child.stdin.end()
  return child
}

const ask = { tool: "Bash", call: "c", input: { cmd: "ls" } }
const waiting = (count: number) => until(() => asked.length === count, `${count} asked`)

test("socket, program and folder are this user's alone, and go with the session", () => {
  open()
  const mode = (path: string) => (statSync(path).mode & 0o777).toString(8)
  expect([place.socket, place.program, dirname(place.socket)].map(mode)).toEqual(["600", "700", "700"])
  gate.close()
  place.remove()
  expect([existsSync(place.socket), existsSync(place.program)]).toEqual([false, false])
})

test("a data directory with a long or a strange name has them elsewhere", () => {
  for (const home of [join(directory, "x".repeat(100)), join(directory, "100%"), join(directory, "~")]) {
    open(home)
    expect(place.program).not.toContain(home)
    expect(place.program).not.toMatch(/[~%]/)
    const folder = dirname(place.program)
    gate.close()
    place.remove()
    expect(existsSync(folder)).toBe(false)
  }
})

test("the program tells what it was told, and ends as it is answered", { timeout: 60_000 }, async () => {
  open()
  const allowed = delegate('{"cmd":"echo hi"}')
  await waiting(1)
  expect(JSON.parse(asked[0]?.line ?? "")).toEqual({ tool: "Bash", call: "toolu_1", input: { cmd: "echo hi" } })
  gate.answer(asked[0]?.key ?? "", { allow: true })
  expect(await allowed.exited).toBe(0)
  const refused = delegate('{"cmd":"x"}')
  await waiting(2)
  expect(gate.answer(asked[1]?.key ?? "", { refuse: "nicht für dich" })).toBe(true)
  expect([await refused.exited, await new Response(refused.stderr).text()]).toEqual([2, "nicht für dich"])
})

test("a session that is gone refuses, and a program that is gone is told", { timeout: 60_000 }, async () => {
  open()
  const first = delegate("{}")
  await waiting(1)
  gate.dismiss()
  expect([await first.exited, await new Response(first.stderr).text()]).toEqual([2, expect.stringContaining("gone")])
  const second = delegate("{}")
  await waiting(2)
  second.kill("SIGKILL")
  await until(() => left.length === 1, "that it left")
  expect([left, gate.answer(left[0] ?? "", { allow: true })]).toEqual([[asked[1]?.key], false])
  gate.close()
  const third = delegate("not json")
  expect([await third.exited, await new Response(third.stderr).text()]).toEqual([
    2,
    expect.stringContaining("Nobody could be asked"),
  ])
})

test("what is too much is refused: tools that wait, bytes, depth", async () => {
  open()
  const calls = Array.from({ length: ampLimits.asks }, () => askAt(place.socket, ask))
  await waiting(ampLimits.asks)
  expect(await askAt(place.socket, ask)).toMatchObject({ refuse: expect.stringContaining("too many") })
  for (const { key } of asked) gate.answer(key, { allow: true })
  expect(await Promise.all(calls)).toEqual(calls.map(() => ({ allow: true })))
  const long = askAt(place.socket, "x".repeat(ampLimits.askBytes + 1))
  expect(await long).toMatchObject({ refuse: expect.stringContaining("too long") })
  const deep = `${"[".repeat(limits.agentLineDepth + 1)}${"]".repeat(limits.agentLineDepth + 1)}\n`
  expect(await askAt(place.socket, deep)).toMatchObject({ refuse: expect.stringContaining("too deep") })
})

test("what an earlier daemon left is replaced, and a script is never written through a link", () => {
  open()
  const { program } = place
  chmodSync(program, 0o600)
  const again = makePlace("a session/with.anything", ["/it's/here"], host)
  expect(readFileSync(again.program, "utf8")).toContain(`'/it'\\''s/here' 'amp-delegate'`)
  expect((statSync(again.program).mode & 0o777).toString(8)).toBe("700")
})

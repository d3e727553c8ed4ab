import { chmodSync, existsSync, readFileSync, statSync } from "node:fs"
import { dirname, join } from "node:path"
import { limits } from "@sandbox-agent/schema/limits"
import { expect, test } from "vitest"
import { makeDelegateFiles } from "../../../src/drivers/amp/delegate-files.ts"
import { scratch } from "../../harness/daemon.ts"
import { until } from "../../supervisor/processes.ts"
import { host, openGate } from "./gate.ts"

const timeout = 60_000
const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8)

test("socket, program and folder are this user's alone, and go with the session", () => {
  using gate = openGate()
  const { socket, program } = gate.place
  expect([socket, program, dirname(socket)].map(modeOf)).toEqual(["600", "700", "700"])
  gate.close()
  expect([existsSync(socket), existsSync(program)]).toEqual([false, false])
})

test("a data directory with a long or a strange name has them elsewhere", () => {
  const directory = scratch()
  for (const home of [join(directory, "x".repeat(100)), join(directory, "100%"), join(directory, "~")]) {
    using gate = openGate(home)
    expect(gate.place.program).not.toContain(home)
    expect(gate.place.program).not.toMatch(/[~%]/)
    const folder = dirname(gate.place.program)
    gate.close()
    expect(existsSync(folder)).toBe(false)
  }
})

test("the program tells what it was told, and ends as it is answered", { timeout }, async () => {
  using gate = openGate()
  const allowed = gate.delegate('{"cmd":"echo hi"}')
  await gate.waiting(1)
  expect(JSON.parse(gate.asked[0]?.line ?? "")).toEqual({ tool: "Bash", call: "toolu_1", input: { cmd: "echo hi" } })
  gate.answer(gate.asked[0]?.key ?? "", { allow: true })
  expect(await allowed.exited).toBe(0)
  const refused = gate.delegate('{"cmd":"x"}')
  await gate.waiting(2)
  expect(gate.answer(gate.asked[1]?.key ?? "", { refuse: "nicht für dich" })).toBe(true)
  expect([await refused.exited, await new Response(refused.stderr).text()]).toEqual([2, "nicht für dich"])
})

test("a session that is gone refuses, and a program that is gone is told", { timeout }, async () => {
  using gate = openGate()
  const first = gate.delegate("{}")
  await gate.waiting(1)
  gate.dismiss()
  expect([await first.exited, await new Response(first.stderr).text()]).toEqual([2, expect.stringContaining("gone")])
  const second = gate.delegate("{}")
  await gate.waiting(2)
  second.kill("SIGKILL")
  await until(() => gate.left.length === 1, "that it left")
  expect([gate.left, gate.answer(gate.left[0] ?? "", { allow: true })]).toEqual([[gate.asked[1]?.key], false])
})

test("a program that finds nobody refuses", { timeout }, async () => {
  using gate = openGate()
  const script = readFileSync(gate.place.program, "utf8")
  gate.close()
  await Bun.write(gate.place.program, script)
  chmodSync(gate.place.program, 0o700)
  const alone = gate.delegate("not json")
  const refused = [2, expect.stringContaining("Nobody could be asked")]
  expect([await alone.exited, await new Response(alone.stderr).text()]).toEqual(refused)
})

test("what is nested too deep is refused", async () => {
  using gate = openGate()
  const deep = `${"[".repeat(limits.agentLineDepth + 1)}${"]".repeat(limits.agentLineDepth + 1)}\n`
  expect(await gate.ask(deep)).toMatchObject({ refuse: expect.stringContaining("too deep") })
})

test("what cannot be read is refused", async () => {
  using gate = openGate()
  expect(await gate.ask("no json\n")).toMatchObject({ refuse: expect.stringContaining("cannot be read") })
})

test("what an earlier daemon left is replaced, and words are quoted", () => {
  using gate = openGate()
  chmodSync(gate.place.program, 0o600)
  const again = makeDelegateFiles("a session/with.anything", ["/it's/here"], host)
  expect(readFileSync(again.program, "utf8")).toContain(`'/it'\\''s/here' agent-program amp`)
  expect(modeOf(again.program)).toBe("700")
})

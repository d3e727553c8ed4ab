import { mkdirSync, writeFileSync } from "node:fs"
import { join, relative } from "node:path"
import { expect, test } from "vitest"
import { AnswerCache } from "../../../src/drivers/shared/answer-cache.ts"
import { programIdentity, sharingKey, sortedVariables } from "../../../src/drivers/shared/launcher.ts"
import { keptHome, nativeIdOf, sessionFolder } from "../../../src/drivers/shared/native-home.ts"
import { scratch } from "../../harness/daemon.ts"

test("a program that was replaced is another one, also a script behind its runtime", () => {
  const script = join(scratch(), "agent.js")
  writeFileSync(script, "one")
  const command = ["/bin/sh", script, "--flag"]
  const before = programIdentity(command)
  expect(programIdentity(command)).toEqual(before)
  writeFileSync(script, "another")
  expect(programIdentity(command)).not.toEqual(before)
})

test("the order of variables does not matter to who shares a process, their values do", () => {
  const key = (env: Record<string, string>) => sharingKey(["program", sortedVariables(env)])
  expect(key({ A: "1", B: "2" })).toBe(key({ B: "2", A: "1" }))
  expect(key({ A: "1" })).not.toBe(key({ A: "2" }))
})

test("what is known is asked for once, also by several at once; a failure and what was forgotten are asked for again", async () => {
  const cache = new AnswerCache<number>()
  let asked = 0
  const ask = async () => ++asked
  expect(await Promise.all([cache.get("a", ask), cache.get("a", ask)])).toEqual([1, 1])
  cache.forget("a")
  expect(await cache.get("a", ask)).toBe(2)
  await expect(cache.get("b", () => Promise.reject(new Error("not now")))).rejects.toThrow("not now")
  expect(await cache.get("b", ask)).toBe(3)
})

test("an id from outside names a folder below ours and nothing else", () => {
  const home = scratch()
  for (const id of ["..", ".", "../../x", "a/b", "a\0b", "%2e%2e"]) {
    const inside = relative(join(home, "sessions"), sessionFolder(id, { home }))
    expect(inside).toMatch(/^[^./][^/]*$/)
  }
  mkdirSync(sessionFolder("..", { home }), { recursive: true })
})

test("a session keeps its home; one that is new or adopted has none yet", () => {
  const ref = { id: "x", home: "/kept", durable: true }
  const host = { home: "/ours" }
  expect(keptHome({ kind: "resume", ref }, host)).toBe("/kept")
  expect(keptHome({ kind: "resume", ref: { ...ref, home: "/ours" } }, host)).toBeUndefined()
  expect(keptHome({ kind: "adopt", ref }, host)).toBeUndefined()
  expect(keptHome({ kind: "new" }, host)).toBeUndefined()
  expect(() => nativeIdOf({ home: "/kept", durable: true })).toThrow("no native id")
})

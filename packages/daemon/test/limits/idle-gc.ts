import { limits } from "@sandbox-agent/schema/limits"
import { expect, test } from "vitest"
import { IdleDetector } from "../../src/core/idle-gc.ts"
import { overfill } from "./overfill.ts"

overfill(
  ["idleCheckMs", "idleCpuShare", "longIdleMs"],
  "so long with less than that share of a processor is idle: garbage goes once, and code after a long time",
  () => {
    const work = limits.freeCodeCpuMs
    const nearlyNothing = (limits.idleCheckMs * limits.idleCpuShare) / 2
    const rest = new IdleDetector(1_000)
    let used = 1_000
    const after = (more: number) => {
      used += more
      return rest.poll(used)
    }
    expect([after(nearlyNothing), after(nearlyNothing)]).toEqual(["garbage", undefined])
    expect([after(work), after(work)]).toEqual([undefined, undefined])
    const long = Array.from({ length: 2 * Math.ceil(limits.longIdleMs / limits.idleCheckMs) }, () => after(0))
    expect(long[0]).toBe("garbage")
    expect(long.flatMap((given, i) => (given === "code" ? [(i + 1) * limits.idleCheckMs] : []))).toEqual([
      limits.longIdleMs,
    ])
    expect(long.filter((given) => given !== undefined)).toHaveLength(2)
  },
)

overfill(
  ["freeCodeCpuMs"],
  "after less work than that code stays: the next turn would have to compile it again",
  () => {
    const rest = new IdleDetector(0)
    const half = limits.freeCodeCpuMs / 2
    const idleAfter = (used: number) =>
      Array.from({ length: 2 * Math.ceil(limits.longIdleMs / limits.idleCheckMs) }, () => rest.poll(used)).filter(
        Boolean,
      )
    rest.poll(half)
    expect(idleAfter(half)).toEqual(["garbage", "program"])
    rest.poll(half * 2)
    expect(idleAfter(half * 2)).toEqual(["garbage", "code"])
    rest.poll(half * 3)
    expect(idleAfter(half * 3)).toEqual(["garbage", "program"])
  },
)

overfill(["freeProgramCpuMs"], "little work in all frees the program's pages again, a request does not", () => {
  const rest = new IdleDetector(0)
  let used = 0
  const polls = (spent: number) => {
    used += spent
    return Array.from({ length: Math.ceil(limits.longIdleMs / limits.idleCheckMs) + 1 }, () => rest.poll(used))
  }
  const freed = (spent: number) => polls(spent).filter(Boolean)
  expect(freed(0)).toEqual(["garbage", "program"])
  expect([freed(limits.freeProgramCpuMs - 1), rest.done]).toEqual([[], true])
  const long = polls(1)
  // Not at once: what comes next would need them.
  expect(long.indexOf("program")).toBe(limits.longIdleMs / limits.idleCheckMs - 2)
  expect([long.filter(Boolean), rest.done]).toEqual([["program"], true])
  // What freeing took is no work.
  rest.discount(limits.freeProgramCpuMs)
  expect(freed(limits.freeProgramCpuMs)).toEqual([])
  expect(freed(limits.freeProgramCpuMs)).toEqual(["program"])
})

test("once all is given back nobody need ask any more, until there was work", () => {
  const rest = new IdleDetector(0)
  const work = limits.freeCodeCpuMs
  rest.poll(work)
  for (let looks = 1; looks < limits.longIdleMs / limits.idleCheckMs; looks++) rest.poll(work)
  expect(rest.done).toBe(false)
  expect([rest.poll(work), rest.done]).toEqual(["code", true])
  // A request now and then is no work.
  const request = (limits.idleCheckMs * limits.idleCpuShare) / 2
  expect([rest.poll(work + request), rest.done]).toEqual([undefined, true])
  expect([rest.poll(work * 2), rest.done]).toEqual([undefined, false])
})

test("the time that giving back takes is no work: it is not done again for it", () => {
  const rest = new IdleDetector(0)
  expect(rest.poll(0)).toBe("garbage")
  const took = limits.idleCheckMs * limits.idleCpuShare * 3
  rest.discount(took)
  expect(rest.poll(took)).toBe(undefined)
  expect(rest.poll(took * 2)).toBe(undefined)
  expect(rest.poll(took * 2)).toBe("garbage")
})

import { limits } from "@sandbox-agent/schema/limits"
import { expect, test } from "vitest"
import { Rest } from "../../src/core/give-back.ts"

test("restMs with less than restShare of a processor is rest: garbage goes once; after longRestMs code goes, too", () => {
  const work = limits.restMs * limits.restShare * 2
  const nearlyNothing = work / 4
  const rest = new Rest(1_000)
  let used = 1_000
  const after = (more: number) => {
    used += more
    return rest.gives(used)
  }
  expect([after(nearlyNothing), after(nearlyNothing)]).toEqual(["garbage", undefined])
  expect([after(work), after(work)]).toEqual([undefined, undefined])
  const long = Array.from({ length: 2 * Math.ceil(limits.longRestMs / limits.restMs) }, () => after(0))
  expect(long[0]).toBe("garbage")
  expect(long.flatMap((given, i) => (given === "code" ? [(i + 1) * limits.restMs] : []))).toEqual([limits.longRestMs])
  expect(long.filter((given) => given !== undefined)).toHaveLength(2)
})

test("once all is given back nobody need ask any more, until there was work", () => {
  const rest = new Rest(0)
  const work = limits.restMs * limits.restShare * 2
  for (let looks = 1; looks < limits.longRestMs / limits.restMs; looks++) rest.gives(0)
  expect(rest.over).toBe(false)
  expect([rest.gives(0), rest.over]).toEqual(["code", true])
  // A request now and then is no work.
  expect([rest.gives(work / 4), rest.over]).toEqual([undefined, true])
  expect([rest.gives(work * 2), rest.over]).toEqual([undefined, false])
})

test("the time that giving back takes is no work: it is not done again for it", () => {
  const rest = new Rest(0)
  expect(rest.gives(0)).toBe("garbage")
  const took = limits.restMs * limits.restShare * 3
  rest.spent(took)
  expect(rest.gives(took)).toBe(undefined)
  expect(rest.gives(took * 2)).toBe(undefined)
  expect(rest.gives(took * 2)).toBe("garbage")
})

import { expect, type TestOptions, test } from "vitest"

/**
 * Tests that overfill limits, and the check that they did so with each of them. The check belongs into the same run as the
 * tests: a file that holds some is no test file of its own, it is imported by the one that calls `expectAll`.
 */
export function overfilling<Limits extends Readonly<Record<string, number>>>(limits: Limits) {
  type Name = keyof Limits & string
  const overfilled = new Set<Name>()
  /** Those of another system. */
  const notHere = new Set<Name>()

  /** A test that overfills these limits and says what comes of it. It counts when it has run to its end. */
  function overfill(names: readonly Name[], outcome: string, run: () => unknown, options: TestOptions = {}): void {
    if (options.skip) for (const name of names) notHere.add(name)
    test(`${names.join(", ")}: ${outcome}`, options, async () => {
      await run()
      for (const name of names) overfilled.add(name)
    })
  }

  /** Behind all others: one test for each limit, which fails where none of the tests before it has overfilled that limit. */
  function expectAll(): void {
    test.each(Object.keys(limits) as Name[])("%s has been overfilled", (name) => {
      if (!notHere.has(name)) expect([...overfilled]).toContain(name)
    })
  }

  return { overfill, expectAll }
}

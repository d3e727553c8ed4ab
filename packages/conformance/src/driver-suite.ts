import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"
import type { Agent } from "@sandbox-agent/schema/agent"
import { afterAll, beforeAll, describe, expect, type TestContext, test } from "vitest"
import { type Difference, mayNotOccur } from "./face/differences.ts"
import type { FaceOptions } from "./face/face-client.ts"
import type { OverRest } from "./face/over-rest.ts"
import { judge, scenarioTimeoutMs } from "./judge.ts"
import { atOnce, Gate, orderOf } from "./order.ts"
import { drift, type Report, type Result, reportText } from "./report.ts"
import { reportOf } from "./runner.ts"
import type { Scenario } from "./scenario.ts"
import { scenarios } from "./scenarios.ts"
import { Scene } from "./scene.ts"
import type { Stage, Subject } from "./subject.ts"
import { inTurn } from "./turnstile.ts"
import { badSkips } from "./verdict.ts"

declare module "vitest" {
  interface TaskMeta {
    /** Why a scenario was skipped, for the page of results. */
    reason?: string
  }
}

/**
 * The contract every driver keeps, as tests: the conformance suite on a real daemon, one test for each scenario,
 * side by side where they can be.
 *
 * Scenarios need capabilities. What an agent declares `false` must be skipped, with a reason; what it declares `true`
 * cannot be. The logs of the whole run are checked at its end. The only file of this package that knows vitest.
 */
export interface DriverSuite {
  name: string
  start(): Promise<{ subject: Subject; stage: Stage; stop?(): Promise<void> }>
  /** The report that is checked in; its statuses are compared, and written with UPDATE_CONFORMANCE=1. */
  report?: string
  /** Names of the scenarios that are run, where not all are; of the report only their rows count. */
  only?: readonly string[]
  /** Over the ACP face instead of REST: what holds there must hold here. */
  face?: FaceOptions
  /** Which of the documented differences, and of what is left to REST, a whole run of this agent meets. */
  differences?: readonly (Difference | OverRest)[]
}

/** A scenario ends in its own time (`judge.ts`), and waits for its turn before that: among its own, and among those of other files. */
const patience = scenarioTimeoutMs + 30_000

export function runDriverSuite({ name, start, report, only, face, differences }: DriverSuite): void {
  describe(`driver ${name}${face === undefined ? "" : " over the ACP face"}`, () => {
    let scene: Scene
    let info: Agent
    let stop: (() => Promise<void>) | undefined
    let gate: Gate
    const results: Result[] = []
    beforeAll(async () => {
      const started = await start()
      stop = started.stop
      gate = new Gate(started.subject.atOnce ?? atOnce)
      scene = await Scene.open(started.subject, started.stage, face)
      info = await scene.info()
      await inTurn(() => scene.warmUp())
    }, 2 * patience)
    afterAll(async () => {
      await scene?.[Symbol.asyncDispose]()
      await stop?.()
    })

    test("every skip has a reason and names a scenario", () => {
      expect(badSkips(scene.subject.skip ?? [])).toEqual([])
    })

    const asked = scenarios.filter((one) => only === undefined || only.includes(one.name))
    const { together, alone, last } = orderOf(asked)
    const play = async (scenario: Scenario, context: TestContext): Promise<void> => {
      const rows = await judge(scene, scenario, info.capabilities)
      results.push(...rows)
      const [row] = rows
      if (row?.status === "skipped") {
        context.task.meta.reason = row.reason
        context.skip(row.reason)
      }
      expect(row?.error).toBeUndefined()
    }
    for (const scenario of together)
      test.concurrent(
        scenario.name,
        (context) => gate.through(() => inTurn(() => play(scenario, context))),
        together.length * patience,
      )
    for (const scenario of alone) test(scenario.name, (context) => inTurn(() => play(scenario, context)), 2 * patience)
    for (const scenario of last) test(scenario.name, (context) => play(scenario, context), patience)

    if (report !== undefined)
      test("the report in the repository says the same; else UPDATE_CONFORMANCE=1", async () => {
        // A slow program has told its version by now.
        const now = reportOf(await scene.info(), results)
        if (process.env.UPDATE_CONFORMANCE === "1" && only === undefined && face === undefined) keep(report, now)
        compare(report, now, only)
      })

    if (face !== undefined)
      test("transcripts were compared, and differ only as documented", () => {
        expect(scene.faceRun.compared).toBeGreaterThan(0)
        const met = new Set([...scene.faceRun.met, ...scene.faceRun.rest])
        const due = new Set(differences)
        expect([...met.difference(due)], "not documented for this agent").toEqual([])
        const missed = [...due.difference(met)].filter((one) => !mayNotOccur.includes(one))
        if (only === undefined) expect(missed, "documented, and not met").toEqual([])
      })
  })
}

function keep(path: string, report: Report): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, reportText(report))
}

function compare(path: string, now: Report, only: readonly string[] | undefined): void {
  expect(existsSync(path), `${path} is missing: run with UPDATE_CONFORMANCE=1`).toBe(true)
  const kept = JSON.parse(readFileSync(path, "utf8")) as Report
  const results = kept.results.filter(({ scenario }) => only === undefined || only.includes(scenario))
  expect(drift({ ...kept, results }, now)).toEqual([])
}

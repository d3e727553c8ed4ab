import { type Capabilities, capabilityNames } from "@sandbox-agent/schema/agent"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import type { DaemonOptions } from "../harness/daemon.ts"
import type { Acts } from "./acts.ts"
import { controlCases } from "./cases-control.ts"
import { lifeCases } from "./cases-life.ts"
import { requestCases } from "./cases-requests.ts"
import { settingsCases } from "./cases-settings.ts"
import { talkCases } from "./cases-talk.ts"
import { toolCases } from "./cases-tools.ts"
import { type Case, Scene } from "./scene.ts"

/**
 * The contract every driver keeps, through the public API of a real daemon.
 *
 * A driver plugs in with a test file of its own: `runDriverSuite({ name: "codex", start, skip })`. `start` gives the
 * flags and environment of the daemon (where the binary and the scripted model are) and `acts`: for each thing a case
 * wants the agent to do, the text of the message that makes it do so. A mock turns it into a command; a real agent's
 * `acts` tell the scripted model what to answer next, then give the prompt.
 *
 * Cases name the capabilities they need. What an agent declares `false` must be skipped, with a reason; what it declares
 * `true` cannot be. At the end every log of the run is checked, and the driver may not have caused a single fault.
 */
export interface DriverSuite {
  name: string
  start(): Promise<{ acts: Acts; daemon?: DaemonOptions; stop?(): Promise<void> }>
  skip?: Skip[]
}

export interface Skip {
  reason: string
  tests: string[]
}

export const cases: readonly Case[] = [
  ...talkCases,
  ...toolCases,
  ...requestCases,
  ...settingsCases,
  ...controlCases,
  ...lifeCases,
]

export function runDriverSuite({ name, start, skip = [] }: DriverSuite): void {
  describe(`driver ${name}`, () => {
    let scene: Scene
    let stop: (() => Promise<void>) | undefined
    beforeAll(async () => {
      const started = await start()
      stop = started.stop
      scene = await Scene.open(name, started.acts, started.daemon)
    })
    afterAll(async () => {
      await scene[Symbol.asyncDispose]()
      await stop?.()
    })

    test("every skip has a reason and names a case", () => {
      expect(badSkips(skip)).toEqual([])
    })

    for (const c of cases)
      test(c.name, async (context) => {
        const capabilities = await scene.capabilities()
        expect(objection(c, capabilities, skip)).toBeUndefined()
        const reason = reasonToSkip(c, skip)
        if (reason !== undefined) context.skip(reason)
        await scene.play(c)
      })

    test("at the end: every log is sound, nothing was unparsed, raw is kept, and the driver caused no fault", async () => {
      expect(await scene.complaints()).toEqual([])
    })
  })
}

const reasonToSkip = (c: Case, skip: readonly Skip[]): string | undefined =>
  skip.find(({ tests }) => tests.includes(c.name))?.reason

/** What is skipped must be something the agent cannot do, and what it cannot do must be skipped. */
export function objection(c: Case, capabilities: Capabilities, skip: readonly Skip[]): string | undefined {
  const missing = c.needs.filter((need) => !capabilities[need])
  const reason = reasonToSkip(c, skip)
  if (reason === undefined)
    return missing.length === 0 ? undefined : `declares ${missing.join(", ")} false: skip this case, with the reason`
  return missing.length > 0 ? undefined : `skipped (${reason}), but the agent declares ${c.needs.join(", ")}`
}

export function badSkips(skip: readonly Skip[]): string[] {
  const unnamed = skip.flatMap(({ reason, tests }) =>
    reason.trim() === "" ? [`no reason to skip ${tests.join(", ")}`] : [],
  )
  const names = cases.map((c) => c.name)
  const unknown = skip.flatMap(({ tests }) =>
    tests.filter((given) => !names.includes(given)).map((given) => `no case ${given}`),
  )
  return [...unnamed, ...unknown]
}

/** Capabilities that no case needs; a test of the suite itself holds this empty. */
export const uncited = (): string[] =>
  capabilityNames.filter((name) => !cases.some(({ needs }) => needs.includes(name)))

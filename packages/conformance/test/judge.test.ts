import { type Capabilities, capabilityNames } from "@sandbox-agent/schema/agent"
import { afterAll, beforeAll, expect, test } from "vitest"
import { mock } from "../src/agents/mock.ts"
import { judge } from "../src/judge.ts"
import type { Scenario } from "../src/scenario.ts"
import { Scene } from "../src/scene.ts"
import { givenDaemon, type RunningDaemon, type Subject } from "../src/subject.ts"
import { testStage } from "./daemon.ts"

const stage = testStage()
let daemon: RunningDaemon
beforeAll(async () => {
  daemon = await stage.start()
})
afterAll(async () => {
  await daemon.stop()
  stage.remove()
})

const able = Object.fromEntries(capabilityNames.map((name) => [name, true])) as Capabilities
const unable: Capabilities = { ...able, fork: false }
const skip = [{ reason: "it has no fork", tests: ["forks"] }]
const forks: Scenario = { name: "forks", proves: ["fork.head"], run: async () => {} }
const fails: Scenario = { ...forks, run: () => Promise.reject(new Error("no such luck")) }
const acts: Scenario = { ...forks, run: async (scene) => void (await scene.prompt("recall", "it")) }

/** On a daemon that is not ours: it cannot be killed. */
async function judged(scenario: Scenario, capabilities: Capabilities, more: Partial<Subject> = {}) {
  const subject = { ...mock, skip: [], ...more }
  const scene = await Scene.open(subject, givenDaemon(daemon.url, daemon.token, stage.directory))
  const [row] = await judge(scene, scenario, capabilities)
  return row
}

test("what is declared passes or fails", async () => {
  expect(await judged(forks, able)).toEqual({ requirement: "fork.head", scenario: "forks", status: "passed" })
  expect(await judged(fails, able)).toMatchObject({ status: "failed", error: "no such luck" })
  expect(await judged(acts, able)).toMatchObject({ status: "failed", error: expect.stringContaining("acts.recall") })
})

test("what is not declared must not pass", async () => {
  expect(await judged(fails, unable, { skip })).toMatchObject({ status: "skipped", reason: "it has no fork" })
  expect(await judged(acts, unable, { skip })).toMatchObject({ status: "skipped", reason: "it has no fork" })
  expect(await judged(forks, unable, { skip })).toMatchObject({ status: "failed" })
})

test("a skip must match what is declared", async () => {
  expect(await judged(forks, unable)).toMatchObject({ status: "failed", error: expect.stringContaining("fork") })
  expect(await judged(forks, able, { skip })).toMatchObject({ status: "failed" })
})

test("what the place cannot offer is skipped", async () => {
  expect(await judged({ ...forks, means: ["restart"] }, able)).toMatchObject({ status: "skipped" })
  const reason = "the mock has no model that could fail"
  expect(await judged({ ...forks, means: ["faults"] }, able)).toMatchObject({ status: "skipped", reason })
  expect(await judged(acts, able, { partial: "live" })).toMatchObject({ status: "skipped", reason: "live" })
})

test("a scenario that waits for ever has failed, and its session is ended", async () => {
  const scene = await Scene.open(mock, givenDaemon(daemon.url, daemon.token, stage.directory))
  // Made before its time runs: however slow that is, it is waiting that takes too long.
  const { id } = await scene.session()
  const waits: Scenario = {
    ...forks,
    async run(scene) {
      scene.keep(id)
      await scene.api.until(id, "plan.updated")
    },
  }
  await expect(scene.play(waits, 500)).rejects.toThrow("not done after 0.5 s")
  const [log] = (await scene.logs()).values()
  expect(log?.map(({ type }) => type)).toContain("session.ended")
  const { promise, reject } = Promise.withResolvers<void>()
  const tells = async ({ api }: Scene) => {
    api.signal?.addEventListener("abort", () => reject(new Error("never asked")))
    await promise
  }
  await expect(scene.play({ ...forks, run: tells }, 100)).rejects.toThrow("not done after 0.1 s: never asked")
})

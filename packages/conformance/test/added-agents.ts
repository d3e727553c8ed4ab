import { join } from "node:path"
import { daemonProgram } from "@sandbox-agent/test-agents/daemon-program"
import { expect } from "vitest"
import type { Api } from "../src/api.ts"
import { judge } from "../src/judge.ts"
import { atOnce, Gate, orderOf } from "../src/order.ts"
import type { Scenario } from "../src/scenario.ts"
import { scenarios } from "../src/scenarios.ts"
import type { Scene } from "../src/scene.ts"
import { inTurn } from "../src/turnstile.ts"
import type { TestStage } from "./daemon.ts"

/** The command line, on the data of a stage. */
export async function cli(
  stage: TestStage,
  ...words: string[]
): Promise<{ code: number; stdout: string; stderr: string }> {
  const [group = "", verb = "", ...rest] = words
  const place = ["--data-dir", join(stage.home, "data")]
  const command = [...daemonProgram(), group, verb, ...place, ...rest]
  const child = Bun.spawn(command, { env: process.env, stdout: "pipe", stderr: "pipe" })
  const [stdout, stderr] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
  return { code: await child.exited, stdout, stderr }
}

/** A daemon that runs looks now and then. */
export async function listed(api: Api, id: string, there: boolean): Promise<void> {
  while (true) {
    const { agents } = await api.ok<{ agents: { id: string }[] }>("GET", "/v1/agents")
    if (agents.some((agent) => agent.id === id) === there) return
    await Bun.sleep(100)
  }
}

/** What is true of every log at the end of a run. */
export const aboutLogs = scenarios
  .map(({ name }) => name)
  .filter((name) => /^(every log|no session ended|nothing was unp)/.test(name))

/** Plays scenarios of the suite, side by side where they can be; all must pass, and none may be skipped. */
export async function expectPassed(scene: Scene, names: readonly string[]): Promise<void> {
  const known = names.map((name) => {
    const scenario = scenarios.find((one) => one.name === name)
    if (scenario === undefined) throw new Error(`no scenario ${name}`)
    return scenario
  })
  const play = async (scenario: Scenario): Promise<void> => {
    // Asked each time: an agent nobody has described is known better with every session.
    const { capabilities } = await scene.info()
    const [row] = await judge(scene, scenario, capabilities)
    expect([scenario.name, row?.status, row?.error]).toEqual([scenario.name, "passed", undefined])
  }
  const { together, alone, last } = orderOf(known)
  // Its first session tells what the agent can.
  const [first, ...others] = together
  if (first !== undefined) await play(first)
  const gate = new Gate(atOnce)
  await Promise.all(others.map((scenario) => gate.through(() => inTurn(() => play(scenario)))))
  for (const scenario of [...alone, ...last]) await play(scenario)
}

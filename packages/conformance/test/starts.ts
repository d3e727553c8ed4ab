import { mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { rm } from "node:fs/promises"
import { join } from "node:path"
import { ampBinary, tested as ampTested } from "@sandbox-agent/test-agents/amp"
import { claudeBinary, oldest as oldestClaude } from "@sandbox-agent/test-agents/claude"
import { codexBinary } from "@sandbox-agent/test-agents/codex"
import { opencodeBinary } from "@sandbox-agent/test-agents/opencode"
import { newestPiBinary, oldest as oldestPi, tested as piTested } from "@sandbox-agent/test-agents/pi"
import { scriptedAmp } from "../src/agents/amp.ts"
import { scriptedClaude } from "../src/agents/claude.ts"
import { scriptedCodex } from "../src/agents/codex.ts"
import { mock } from "../src/agents/mock.ts"
import { scriptedOpencode } from "../src/agents/opencode.ts"
import { scriptedPi } from "../src/agents/pi.ts"
import type { Scripted } from "../src/agents/scripted.ts"
import type { DriverSuite } from "../src/driver-suite.ts"
import { installAcp, installAgent, type versions } from "./acp-program.ts"
import { type TestStage, testStage } from "./daemon.ts"

type Start = DriverSuite["start"]
type Make = (home: string) => Promise<Scripted>

/** A daemon that finds the agent, whose model is a script. `prepare` may add to the environment of the daemon. */
export const started =
  (make: Make, prepare: (stage: TestStage) => Record<string, string> | Promise<Record<string, string>>): Start =>
  async () => {
    const env: Record<string, string> = {}
    const stage = testStage(env)
    const found = await prepare(stage)
    const scripted = await make(join(stage.home, "home"))
    Object.assign(env, scripted.env, found)
    const stop = async () => {
      await scripted.close()
      stage.remove()
    }
    return { subject: scripted.subject, stage, stop }
  }

export const onPath = (name: string, program: () => string) => (stage: TestStage) => {
  const bin = join(stage.home, "bin")
  mkdirSync(bin)
  symlinkSync(program(), join(bin, name))
  return { PATH: `${bin}:${process.env.PATH}` }
}

export const startMock: Start = async () => {
  const stage = testStage()
  const kept = join(stage.home, "data", "agents", "mock", "sessions")
  const forget = () => rm(kept, { recursive: true, force: true })
  return { subject: { ...mock, forget }, stage, stop: async () => stage.remove() }
}

/** One version of the real Claude Code. */
export const startClaude = (version: string): Start =>
  started(
    async (home) => {
      const scripted = await scriptedClaude(home)
      if (version === oldestClaude) chooseEffort(join(home, ".claude"))
      return scripted
    },
    onPath("claude", () => claudeBinary(version)),
  )

/**
 * It keeps a model at the effort it came out with until somebody has chosen one, and notes that in a file which all of its
 * processes write: where several begin in a new home, one of them undoes the note of another.
 */
function chooseEffort(folder: string): void {
  const notes = ["unpinOpus47LaunchEffort", "unpinOpus48LaunchEffort", "unpinFable5LaunchEffort"]
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, ".claude.json"), JSON.stringify(Object.fromEntries(notes.map((note) => [note, true]))))
}

export const startCodex: Start = started((home) => scriptedCodex(home), onPath("codex", codexBinary))

export const startAmp: Start = started(scriptedAmp, onPath("amp", ampBinary))

/** As the product installs it: its runtime is our executable. */
const installed = (agent: string, version: string, folder?: string) => async (stage: TestStage) => {
  await installAgent(agent, version, stage, folder)
  return {}
}

export const startInstalledAmp: Start = started(scriptedAmp, installed("amp", ampTested))
export const startPi: Start = started(scriptedPi, installed("pi", piTested))
export const startOldestPi: Start = started(scriptedPi, installed("pi", oldestPi, "oldest"))
export const startNewestPi: Start = started(scriptedPi, onPath("pi", newestPiBinary))

export const startOpencode: Start = started(scriptedOpencode, onPath("opencode", opencodeBinary))

/** A real ACP agent of the registry. */
export const startAcp = (agent: keyof typeof versions, make: Make): Start =>
  started(make, async (stage) => {
    await installAcp(agent, stage)
    return {}
  })

import { mkdirSync, symlinkSync } from "node:fs"
import { homedir } from "node:os"
import { join } from "node:path"
import { daemonProgram } from "@sandbox-agent/test-agents/daemon-program"
import type { TestStage } from "./daemon.ts"

/** The versions the suite is proved with. */
export const versions = {
  "claude-agent-acp": "0.99.0",
  "codex-acp": "2.6.0",
  gemini: "0.61.0",
  "qwen-code": "0.24.4",
} as const

const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "sandbox-agent", "test-agents")

export const installAcp = (agent: keyof typeof versions, stage: TestStage): Promise<void> =>
  installAgent(agent, versions[agent], stage)

/**
 * Installs the agent as a user would, once per machine, and lets the daemon of a stage find it as its own. `folder`: a
 * second version of an agent has one of its own, because a daemon takes the last one that was installed.
 */
export async function installAgent(agent: string, version: string, stage: TestStage, folder = "acp"): Promise<void> {
  const words = ["install-agent", agent, "--version", version, "--data-dir", join(cache, folder)]
  const child = Bun.spawn([...daemonProgram(), ...words], { env: process.env, stdout: "pipe", stderr: "pipe" })
  const said = await new Response(child.stderr).text()
  if ((await child.exited) !== 0) throw new Error(`${agent} could not be installed: ${said}`)
  mkdirSync(join(stage.home, "data"), { recursive: true, mode: 0o700 })
  symlinkSync(join(cache, folder, "bin"), join(stage.home, "data", "bin"))
}

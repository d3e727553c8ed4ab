import { mkdirSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { claudeBinary, newest } from "@sandbox-agent/test-agents/claude"
import { scriptedClaude } from "../src/agents/claude.ts"
import { runDriverSuite } from "../src/driver-suite.ts"
import { root, testStage } from "./daemon.ts"

/** One version of the real Claude Code, found on the PATH of the daemon. Only the newest is in the matrix. */
export function runClaudeSuite(version: string): void {
  const report = version === newest ? join(root, "docs/conformance/claude.json") : undefined
  runDriverSuite({
    name: `claude ${version}`,
    report,
    async start() {
      const env: Record<string, string> = {}
      const stage = testStage(env)
      const scripted = await scriptedClaude(join(stage.home, "home"))
      const bin = join(stage.home, "bin")
      mkdirSync(bin)
      symlinkSync(claudeBinary(version), join(bin, "claude"))
      Object.assign(env, scripted.env, { PATH: `${bin}:${process.env.PATH}` })
      const stop = async () => {
        await scripted.close()
        stage.remove()
      }
      return { subject: scripted.subject, stage, stop }
    },
  })
}

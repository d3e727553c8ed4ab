import { mkdirSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { codexBinary, tested } from "@sandbox-agent/test-agents/codex"
import { scriptedCodex } from "../src/agents/codex.ts"
import { runDriverSuite } from "../src/driver-suite.ts"
import { root, testStage } from "./daemon.ts"

/** The real Codex, found on the PATH of the daemon. */
runDriverSuite({
  name: `codex ${tested}`,
  report: join(root, "docs/conformance/codex.json"),
  async start() {
    const env: Record<string, string> = {}
    const stage = testStage(env)
    const scripted = await scriptedCodex(join(stage.home, "home"))
    const bin = join(stage.home, "bin")
    mkdirSync(bin)
    symlinkSync(codexBinary(), join(bin, "codex"))
    Object.assign(env, scripted.env, { PATH: `${bin}:${process.env.PATH}` })
    const stop = async () => {
      await scripted.close()
      stage.remove()
    }
    return { subject: scripted.subject, stage, stop }
  },
})

import { mkdirSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { opencodeBinary, tested } from "@sandbox-agent/test-agents/opencode"
import { scriptedOpencode } from "../src/agents/opencode.ts"
import { runDriverSuite } from "../src/driver-suite.ts"
import { root, testStage } from "./daemon.ts"

/** The real OpenCode, found on the PATH of the daemon. */
runDriverSuite({
  name: `opencode ${tested}`,
  report: join(root, "docs/conformance/opencode.json"),
  async start() {
    const env: Record<string, string> = {}
    const stage = testStage(env)
    const scripted = await scriptedOpencode(join(stage.home, "home"))
    const bin = join(stage.home, "bin")
    mkdirSync(bin)
    symlinkSync(opencodeBinary(), join(bin, "opencode"))
    Object.assign(env, scripted.env, { PATH: `${bin}:${process.env.PATH}` })
    const stop = async () => {
      await scripted.close()
      stage.remove()
    }
    return { subject: scripted.subject, stage, stop }
  },
})

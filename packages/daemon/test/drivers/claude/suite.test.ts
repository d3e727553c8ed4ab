import { mkdirSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { startScriptedModel } from "@sandbox-agent/scripted-model"
import { scratch } from "../../harness/daemon.ts"
import { runDriverSuite } from "../../suite/driver-suite.ts"
import { claudeActs } from "./acts.ts"
import { claudeBinary, newest } from "./binary.ts"

runDriverSuite({
  name: "claude",
  async start() {
    const model = await startScriptedModel()
    const dataDir = scratch()
    const [bin, home] = [join(dataDir, "bin"), join(dataDir, "home")]
    mkdirSync(bin)
    mkdirSync(home)
    symlinkSync(claudeBinary(newest), join(bin, "claude"))
    const env = {
      PATH: `${bin}:${process.env.PATH}`,
      HOME: home,
      CLAUDE_CONFIG_DIR: join(home, ".claude"),
      ANTHROPIC_BASE_URL: model.url,
      ANTHROPIC_API_KEY: "dummy",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      CLAUDE_CODE_MAX_RETRIES: "2",
    }
    return { acts: claudeActs(model), daemon: { dataDir, env }, stop: () => model.close() }
  },
  skip: [
    {
      reason: "each session has a process of its own",
      tests: ["two sessions share one process, and the end of one leaves the other"],
    },
  ],
})

import { join } from "node:path"
import { mock } from "../src/agents/mock.ts"
import { runDriverSuite } from "../src/driver-suite.ts"
import { root, testStage } from "./daemon.ts"

runDriverSuite({
  name: "mock",
  report: join(root, "docs/conformance/mock.json"),
  async start() {
    const stage = testStage()
    return { subject: mock, stage, stop: async () => stage.remove() }
  },
})

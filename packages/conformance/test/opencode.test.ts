import { join } from "node:path"
import { tested } from "@sandbox-agent/test-agents/opencode"
import { runDriverSuite } from "../src/driver-suite.ts"
import { root } from "./daemon.ts"
import { partOfOpencode } from "./part.ts"
import { startOpencode } from "./starts.ts"

/** The real OpenCode, found on the PATH of the daemon. */
runDriverSuite({
  name: `opencode ${tested}`,
  report: join(root, "docs/conformance/opencode.json"),
  ...partOfOpencode,
  start: startOpencode,
})

import { join } from "node:path"
import { tested } from "@sandbox-agent/test-agents/amp"
import { runDriverSuite } from "../src/driver-suite.ts"
import { root } from "./daemon.ts"
import { partOfSlow } from "./part.ts"
import { startAmp } from "./starts.ts"

/** The real Amp, found on the PATH of the daemon. */
runDriverSuite({
  name: `amp ${tested}`,
  report: join(root, "docs/conformance/amp.json"),
  ...partOfSlow,
  start: startAmp,
})

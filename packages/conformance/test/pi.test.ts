import { join } from "node:path"
import { tested } from "@sandbox-agent/test-agents/pi"
import { runDriverSuite } from "../src/driver-suite.ts"
import { root } from "./daemon.ts"
import { part } from "./part.ts"
import { startPi } from "./starts.ts"

/** The real Pi as the product installs it: its runtime is our executable. */
runDriverSuite({ name: `pi ${tested}`, report: join(root, "docs/conformance/pi.json"), ...part, start: startPi })

import { oldest } from "@sandbox-agent/test-agents/pi"
import { runDriverSuite } from "../src/driver-suite.ts"
import { startOldestPi } from "./starts.ts"

/** The oldest Pi that the driver takes, as the product installs it. Only the tested one is in the matrix. */
runDriverSuite({ name: `pi ${oldest}`, start: startOldestPi })

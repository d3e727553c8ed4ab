import { newest } from "@sandbox-agent/test-agents/pi"
import { runDriverSuite } from "../src/driver-suite.ts"
import { startNewestPi } from "./starts.ts"

/** The newest Pi, found on the PATH of the daemon. Only the one that is installed is in the matrix. */
runDriverSuite({ name: `pi ${newest}`, start: startNewestPi })

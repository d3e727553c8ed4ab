import { join } from "node:path"
import { tested } from "@sandbox-agent/test-agents/amp"
import { runDriverSuite } from "../src/driver-suite.ts"
import { root } from "./daemon.ts"
import { part } from "./part.ts"
import { startAmp } from "./starts.ts"

/** It has five modes, and each takes processes of their own: only where everything is run. */
const everyMode = "permission mode default asks in every agent mode that can be chosen"
const only = part.only && { only: part.only.filter((name) => name !== everyMode) }

/** The real Amp, found on the PATH of the daemon. */
runDriverSuite({ name: `amp ${tested}`, report: join(root, "docs/conformance/amp.json"), ...only, start: startAmp })

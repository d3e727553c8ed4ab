import { join } from "node:path"
import { tested } from "@sandbox-agent/test-agents/codex"
import { runDriverSuite } from "../src/driver-suite.ts"
import { root } from "./daemon.ts"
import { startCodex } from "./starts.ts"

/** The real Codex, found on the PATH of the daemon. */
runDriverSuite({ name: `codex ${tested}`, report: join(root, "docs/conformance/codex.json"), start: startCodex })

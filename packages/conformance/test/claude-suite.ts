import { join } from "node:path"
import { newest } from "@sandbox-agent/test-agents/claude"
import { runDriverSuite } from "../src/driver-suite.ts"
import { root } from "./daemon.ts"
import { partOfClaude } from "./part.ts"
import { startClaude } from "./starts.ts"

/** One version of the real Claude Code, found on the PATH of the daemon. Only the newest is in the matrix. */
export function runClaudeSuite(version: string): void {
  const report = version === newest ? join(root, "docs/conformance/claude.json") : undefined
  runDriverSuite({ name: `claude ${version}`, report, ...partOfClaude, start: startClaude(version) })
}

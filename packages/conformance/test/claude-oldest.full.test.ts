import { oldest } from "@sandbox-agent/test-agents/claude"
import { runClaudeSuite } from "./claude-suite.ts"

runClaudeSuite(oldest)

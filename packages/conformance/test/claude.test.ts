import { newest } from "@sandbox-agent/test-agents/claude"
import { runClaudeSuite } from "./claude-suite.ts"

runClaudeSuite(newest)

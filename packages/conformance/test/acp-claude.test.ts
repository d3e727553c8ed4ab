import { scriptedClaudeAcp } from "../src/agents/acp-claude.ts"
import { runAcpSuite } from "./acp-suite.ts"

runAcpSuite("claude-agent-acp", scriptedClaudeAcp)

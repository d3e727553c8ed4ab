import { scriptedClaudeAcp } from "../../src/agents/acp-claude.ts"
import { part } from "../part.ts"
import { startAcp } from "../starts.ts"
import { runFaceSuite } from "./face-suite.ts"
import { met } from "./met.ts"

runFaceSuite(
  "claude-agent-acp",
  { ...part, start: startAcp("claude-agent-acp", scriptedClaudeAcp) },
  { forms: true },
  met["claude-agent-acp"],
)

import { scriptedCodexAcp } from "../src/agents/acp-codex.ts"
import { runAcpSuite } from "./acp-suite.ts"

runAcpSuite("codex-acp", scriptedCodexAcp)

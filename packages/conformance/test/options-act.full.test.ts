import { newest } from "@sandbox-agent/test-agents/claude"
import { scriptedClaudeAcp } from "../src/agents/acp-claude.ts"
import { scriptedCodexAcp } from "../src/agents/acp-codex.ts"
import { scriptedGemini } from "../src/agents/acp-gemini.ts"
import { scriptedQwen } from "../src/agents/acp-qwen.ts"
import { runOptionsAct } from "./options-act.ts"
import { startAcp, startAmp, startClaude, startCodex, startOpencode, startPi } from "./starts.ts"

runOptionsAct("claude", startClaude(newest), ["http", "sse"])
runOptionsAct("amp", startAmp, ["http", "sse"])
runOptionsAct("codex", startCodex, ["http"])
runOptionsAct("opencode", startOpencode, ["http", "sse"])
runOptionsAct("pi", startPi, ["http", "sse"])
runOptionsAct("claude-agent-acp", startAcp("claude-agent-acp", scriptedClaudeAcp), ["http", "sse"])
runOptionsAct("codex-acp", startAcp("codex-acp", scriptedCodexAcp), ["http"])
runOptionsAct("gemini", startAcp("gemini", scriptedGemini), ["http", "sse"])
runOptionsAct("qwen-code", startAcp("qwen-code", scriptedQwen), ["http", "sse"])

import { scriptedClaudeAcp } from "../src/agents/acp-claude.ts"
import { scriptedCodexAcp } from "../src/agents/acp-codex.ts"
import { scriptedGemini } from "../src/agents/acp-gemini.ts"
import { scriptedQwen } from "../src/agents/acp-qwen.ts"
import { runCreateTable } from "./create.ts"
import { startAcp } from "./starts.ts"

const acp = { skills: false, version: true, mcp: ["stdio", "http", "sse"] }
const adapter = { ...acp, systemPrompt: true, variants: true }
const plain = { ...acp, systemPrompt: false, variants: false }

runCreateTable("claude-agent-acp", startAcp("claude-agent-acp", scriptedClaudeAcp), adapter, [404, "not_found"])
const codex = { ...adapter, mcp: ["stdio", "http"] }
runCreateTable("codex-acp", startAcp("codex-acp", scriptedCodexAcp), codex, [404, "not_found"])
runCreateTable("gemini", startAcp("gemini", scriptedGemini), plain, [501, "not_supported"])
runCreateTable("qwen-code", startAcp("qwen-code", scriptedQwen), plain, [404, "not_found"])

import { newest } from "@sandbox-agent/test-agents/claude"
import { runCreateTable } from "./create.ts"
import { startClaude, startCodex, startMock } from "./starts.ts"

const all = { systemPrompt: true, skills: true, variants: true, version: true }

runCreateTable("mock", startMock, { systemPrompt: false, skills: false, mcp: [], variants: true, version: false }, [
  404,
  "not_found",
])
runCreateTable("claude", startClaude(newest), { ...all, mcp: ["stdio", "http", "sse"] }, [404, "not_found"])
runCreateTable("codex", startCodex, { ...all, mcp: ["stdio", "http"] }, [404, "not_found"])

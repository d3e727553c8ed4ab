import { runCreateTable } from "./create.ts"
import { startOpencode } from "./starts.ts"

const takes = {
  systemPrompt: true,
  skills: true,
  variants: true,
  version: true,
  range: true,
  mcp: ["stdio", "http", "sse"],
}

runCreateTable("opencode", startOpencode, takes, [404, "not_found"])

import { runCreateTable } from "./create.ts"
import { startPi } from "./starts.ts"

const takes = { systemPrompt: true, skills: true, variants: true, version: true, mcp: ["stdio", "http", "sse"] }

runCreateTable("pi", startPi, takes, [404, "not_found"])

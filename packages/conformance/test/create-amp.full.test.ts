import { runCreateTable } from "./create.ts"
import { startAmp } from "./starts.ts"

const takes = { systemPrompt: false, skills: true, variants: true, version: true, mcp: ["stdio", "http", "sse"] }

runCreateTable("amp", startAmp, takes, [404, "not_found"])

import { runCreateTable } from "./create.ts"
import { startPi } from "./starts.ts"

const takes = { systemPrompt: true, skills: true, variants: true, version: true, range: true }

runCreateTable("pi", startPi, { ...takes, mcp: ["stdio", "http", "sse"] }, [404, "not_found"])

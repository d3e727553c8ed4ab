import { runCreateTable } from "./create.ts"
import { startAmp } from "./starts.ts"

const takes = { systemPrompt: false, skills: true, variants: true, mcp: ["stdio", "http", "sse"] }
const versions = { version: true, range: true, unreleased: "0.0.1780000000-none" }

runCreateTable("amp", startAmp, { ...takes, ...versions }, [404, "not_found"])

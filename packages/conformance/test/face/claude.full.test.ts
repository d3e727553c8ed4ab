import { newest } from "@sandbox-agent/test-agents/claude"
import { startClaude } from "../starts.ts"
import { runFaceSuite } from "./face-suite.ts"
import { met } from "./met.ts"

runFaceSuite("claude", { start: startClaude(newest) }, { forms: true }, met.claude)

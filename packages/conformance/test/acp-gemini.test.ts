import { scriptedGemini } from "../src/agents/acp-gemini.ts"
import { runAcpSuite } from "./acp-suite.ts"

runAcpSuite("gemini", scriptedGemini)

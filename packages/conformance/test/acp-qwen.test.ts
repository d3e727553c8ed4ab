import { scriptedQwen } from "../src/agents/acp-qwen.ts"
import { runAcpSuite } from "./acp-suite.ts"

runAcpSuite("qwen-code", scriptedQwen)

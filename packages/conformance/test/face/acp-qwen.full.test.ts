import { scriptedQwen } from "../../src/agents/acp-qwen.ts"
import { part } from "../part.ts"
import { startAcp } from "../starts.ts"
import { runFaceSuite } from "./face-suite.ts"
import { met } from "./met.ts"

runFaceSuite("qwen-code", { ...part, start: startAcp("qwen-code", scriptedQwen) }, { forms: true }, met["qwen-code"])

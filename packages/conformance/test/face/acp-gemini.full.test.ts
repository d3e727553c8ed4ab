import { scriptedGemini } from "../../src/agents/acp-gemini.ts"
import { part } from "../part.ts"
import { startAcp } from "../starts.ts"
import { runFaceSuite } from "./face-suite.ts"
import { met } from "./met.ts"

runFaceSuite("gemini", { ...part, start: startAcp("gemini", scriptedGemini) }, { forms: true }, met.gemini)

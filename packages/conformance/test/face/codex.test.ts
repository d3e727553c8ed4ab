import { part } from "../part.ts"
import { startCodex } from "../starts.ts"
import { runFaceSuite } from "./face-suite.ts"
import { met } from "./met.ts"

runFaceSuite("codex", { ...part, start: startCodex }, { forms: true }, met.codex)

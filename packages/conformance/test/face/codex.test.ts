import { startCodex } from "../starts.ts"
import { runFaceSuite } from "./face-suite.ts"
import { met } from "./met.ts"

runFaceSuite("codex", { start: startCodex }, { forms: true }, met.codex)

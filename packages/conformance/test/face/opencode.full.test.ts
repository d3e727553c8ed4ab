import { startOpencode } from "../starts.ts"
import { runFaceSuite } from "./face-suite.ts"
import { met } from "./met.ts"

runFaceSuite("opencode", { start: startOpencode }, { forms: true }, met.opencode)

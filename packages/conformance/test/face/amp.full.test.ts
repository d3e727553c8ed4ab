import { startAmp } from "../starts.ts"
import { runFaceSuite } from "./face-suite.ts"
import { met } from "./met.ts"

runFaceSuite("amp", { start: startAmp }, { forms: true }, met.amp)

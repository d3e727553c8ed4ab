import { startPi } from "../starts.ts"
import { runFaceSuite } from "./face-suite.ts"
import { met } from "./met.ts"

runFaceSuite("pi", { start: startPi }, { forms: true }, met.pi)

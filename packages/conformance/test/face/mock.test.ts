import { startMock } from "../starts.ts"
import { runFaceSuite } from "./face-suite.ts"
import { met } from "./met.ts"

runFaceSuite("mock", { start: startMock }, { forms: true }, met.mock)

import { questions } from "../../src/scenarios/questions.ts"
import { startMock } from "../starts.ts"
import { runFaceSuite } from "./face-suite.ts"
import { met } from "./met.ts"

/** Choices are chosen one at a time: several of them, or words of one's own, need a form. */
const needForms = "several questions are answered at once, with several choices and with free text"
const only = questions.map(({ name }) => name).filter((name) => name !== needForms)

runFaceSuite("mock", { start: startMock, only }, { forms: false, headerless: true }, met.choices)

import { scenario } from "./scenario.js"

window.scenario = scenario

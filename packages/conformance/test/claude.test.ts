import { newest, oldest } from "./claude-binary.ts"
import { runClaudeSuite } from "./claude-suite.ts"

runClaudeSuite(newest)
runClaudeSuite(oldest)

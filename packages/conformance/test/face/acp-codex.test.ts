import { scriptedCodexAcp } from "../../src/agents/acp-codex.ts"
import { part } from "../part.ts"
import { startAcp } from "../starts.ts"
import { runFaceSuite } from "./face-suite.ts"
import { met } from "./met.ts"

runFaceSuite(
  "codex-acp",
  { ...part, start: startAcp("codex-acp", scriptedCodexAcp) },
  { forms: true },
  met["codex-acp"],
)

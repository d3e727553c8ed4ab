import { join } from "node:path"
import type { Scripted } from "../src/agents/scripted.ts"
import { runDriverSuite } from "../src/driver-suite.ts"
import type { versions } from "./acp-program.ts"
import { root } from "./daemon.ts"
import { part, partOfModes, partOfSlowest } from "./part.ts"
import { startAcp } from "./starts.ts"

const parts: Partial<Record<keyof typeof versions, typeof part>> = {
  "claude-agent-acp": partOfSlowest,
  gemini: partOfSlowest,
  "qwen-code": partOfModes,
}

/** The suite on a real ACP agent of the registry; only its model is replaced. */
export function runAcpSuite(agent: keyof typeof versions, scripted: (home: string) => Promise<Scripted>): void {
  const report = join(root, `docs/conformance/${agent}.json`)
  runDriverSuite({
    name: agent,
    report,
    ...(parts[agent] ?? part),
    start: startAcp(agent, scripted),
  })
}

import { mkdtempSync, symlinkSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { ampBinary, ampIsHere, tested } from "@sandbox-agent/test-agents/amp"
import type { BenchAgent } from "./agent.ts"
import { ampAlone } from "./amp-alone.ts"

const environment = (home: string, modelUrl: string): Record<string, string> => ({
  HOME: home,
  AMP_URL: modelUrl,
  AMP_API_KEY: "dummy",
})

/** Under its own name: the file of the package has another. */
function folder(): string {
  const made = mkdtempSync(join(tmpdir(), "bench-amp-"))
  symlinkSync(ampBinary(), join(made, "amp"))
  return made
}

export const amp: BenchAgent = {
  name: "amp",
  title: "Amp",
  version: tested,
  inOnePiece: true,
  size: "9 MB",
  isHere: ampIsHere,
  folder,
  environment: (home, modelUrl) => ({ session: environment(home, modelUrl) }),
  alone: (modelUrl) => ampAlone(ampBinary(), (home) => environment(home, modelUrl)),
}

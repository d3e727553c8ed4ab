import { dirname } from "node:path"
import { piSettings } from "@sandbox-agent/conformance/agents/pi"
import { executable } from "@sandbox-agent/test-agents/daemon-program"
import { piBinary, piIsHere, piOnNode, tested } from "@sandbox-agent/test-agents/pi"
import type { BenchAgent } from "./agent.ts"
import { giveInstalled } from "./installed-program.ts"
import { piAlone } from "./pi-alone.ts"

/** As the product runs it: on its own executable. */
const program = (): string => piBinary(executable)

export const pi: BenchAgent = {
  name: "pi",
  title: "Pi",
  version: tested,
  size: "160 MB",
  isHere: piIsHere,
  folder: () => dirname(program()),
  prepare: (data) => giveInstalled("pi", tested, data),
  environment: (home, modelUrl) => ({ session: piSettings(home, modelUrl) }),
  alone: (modelUrl) => piAlone([program()], (home) => piSettings(home, modelUrl)),
  beside: {
    title: "Pi on Node 24",
    arm: (modelUrl) => piAlone(piOnNode(), (home) => piSettings(home, modelUrl)),
  },
}

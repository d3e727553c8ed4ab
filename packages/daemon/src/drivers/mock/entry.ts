import { fileURLToPath } from "node:url"
import type { NativeAgent } from "../native-agent.ts"
import { ownProgram } from "../shared/own-program.ts"

/** The scripted agent: part of this program, needs no account. */
export const mock: NativeAgent = {
  id: "mock",
  driver: async ({ self, version }) =>
    (await import("./driver.ts")).createMockDriver({ launcher: launcher(self), version }),
  ownProgram: async (words) => (await import("./agent/main.ts")).runMockAgent(words),
  isScripted: true,
  variables: [],
}

/** From source the agent's own file is started: it loads in a third of the time of the whole program. */
function launcher(self: readonly string[]): string[] {
  const fromSource = self.length > 1
  const [runtime = process.execPath] = self
  // An agent starts in the user's directory, and Bun would take that folder's .env for its own.
  return fromSource
    ? [runtime, "--no-env-file", fileURLToPath(new URL("./agent/main.ts", import.meta.url))]
    : ownProgram(self, mock.id)
}

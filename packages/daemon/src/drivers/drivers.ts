import { fileURLToPath } from "node:url"
import type { Driver } from "../core/driver.ts"
import type { Programs } from "../core/programs.ts"
import { createClaudeDriver } from "./claude/driver.ts"
import { createMockDriver } from "./mock/driver.ts"

export interface DriverOptions {
  /** The words that start this program again. */
  self: readonly string[]
  version: string
  /** Where the program of an agent comes from. */
  programs(agent: string): Programs
}

/** Every agent this daemon knows. */
export function createDrivers({ self, version, programs }: DriverOptions): Driver[] {
  return [
    createClaudeDriver({ programs: programs("claude") }),
    createMockDriver({ launcher: mockLauncher(self), version }),
  ]
}

/** From source the agent's own file is started: it loads in a third of the time of the whole program. */
function mockLauncher(self: readonly string[]): string[] {
  const fromSource = self.length > 1
  const [runtime = process.execPath] = self
  // An agent starts in the user's directory, and Bun would take that folder's .env for its own.
  return fromSource
    ? [runtime, "--no-env-file", fileURLToPath(new URL("./mock/agent/main.ts", import.meta.url))]
    : [...self, "mock-agent"]
}

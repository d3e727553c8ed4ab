import { fileURLToPath } from "node:url"
import { type RegistryEntry, traitsOf } from "@sandbox-agent/schema/registry"
import type { Driver } from "../core/driver.ts"
import type { Programs } from "../core/programs.ts"
import { createAcpDriver } from "./acp/driver.ts"
import { createClaudeDriver } from "./claude/driver.ts"
import { createCodexDriver } from "./codex/driver.ts"
import { createMockDriver } from "./mock/driver.ts"
import { createOpencodeDriver } from "./opencode/driver.ts"

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
    createCodexDriver({ programs: programs("codex"), version }),
    createMockDriver({ launcher: mockLauncher(self), version }),
    createOpencodeDriver({ programs: programs("opencode") }),
  ]
}

/** An agent of the registry, and what follows its program. */
export function createRegistryDriver(
  entry: RegistryEntry,
  words: { args: readonly string[]; env: Readonly<Record<string, string>> },
  programs: Programs,
  memory: string,
): Driver {
  const { id, name } = entry
  return createAcpDriver({ agent: { id, name, ...words, traits: traitsOf(entry) }, programs, memory })
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

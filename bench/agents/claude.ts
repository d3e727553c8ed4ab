import { existsSync, mkdirSync } from "node:fs"
import { homedir } from "node:os"
import { join } from "node:path"
import { claudeBinary, newest } from "../../packages/daemon/test/drivers/claude/binary.ts"

/** Where tests and bench keep real agents; a whole download has this name. */
const folder = join(
  process.env.XDG_CACHE_HOME || join(homedir(), ".cache"),
  `sandbox-agent/test-agents/claude-${newest}`,
)

export const claudeVersion = newest
export const claudeIsHere = (): boolean => existsSync(folder)

/** The real program, fetched when it is not here. */
export const claudeProgram = (): string => claudeBinary(newest)

/** What Claude Code needs to take the scripted model for its own. */
export function claudeEnv(home: string, modelUrl: string): Record<string, string> {
  return {
    HOME: home,
    ANTHROPIC_BASE_URL: modelUrl,
    ANTHROPIC_API_KEY: "dummy",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    DISABLE_TELEMETRY: "1",
    DISABLE_ERROR_REPORTING: "1",
    CLAUDE_CODE_MAX_RETRIES: "1",
  }
}

/** A directory of its own for a session, as the daemon's clients give. */
export function workspace(directory: string, name: string): string {
  const path = join(directory, `workspace-${name}`)
  mkdirSync(path, { recursive: true })
  return path
}

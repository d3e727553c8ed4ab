import { claudeBinary } from "@sandbox-agent/test-agents/claude"
import { codexBinary } from "@sandbox-agent/test-agents/codex"
import type { BenchAgent } from "./agent.ts"
import { claude } from "./claude.ts"
import { codex } from "./codex.ts"
import type { Driven } from "./daemon.ts"
import { giveInstalled, isInstalled } from "./installed-program.ts"

/** An agent with a driver of its own, and the same program behind its official ACP adapter. */
export interface Adapted {
  native: BenchAgent
  adapter: Driven & { version: string; isHere(): boolean }
}

/** `program`: names the adapter the program that the native driver runs, so that the adapter is all that differs. */
function behind(native: BenchAgent, name: string, version: string, program: () => Record<string, string>): Adapted {
  const { folder, session } = native
  const environment: BenchAgent["environment"] = (home, modelUrl) => {
    const given = native.environment(home, modelUrl)
    return { daemon: { ...given.daemon, ...program() }, ...(given.session && { session: given.session }) }
  }
  const isHere = () => isInstalled(name, version)
  const prepare = (data: string) => giveInstalled(name, version, data)
  return { native, adapter: { name, version, isHere, folder, environment, prepare, ...(session && { session }) } }
}

export const adapted: readonly Adapted[] = [
  behind(claude, "claude-agent-acp", "0.99.0", () => ({ CLAUDE_CODE_EXECUTABLE: claudeBinary() })),
  behind(codex, "codex-acp", "2.6.0", () => ({ CODEX_PATH: codexBinary() })),
]

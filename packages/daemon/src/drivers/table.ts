import { amp } from "./amp/entry.ts"
import { claude } from "./claude/entry.ts"
import { codex } from "./codex/entry.ts"
import { mock } from "./mock/entry.ts"
import type { NativeAgent } from "./native-agent.ts"
import { opencode } from "./opencode/entry.ts"
import { pi } from "./pi/entry.ts"

/** The agents that are not of the ACP registry, in the order they are listed in. Everything else derives from this. */
export const nativeAgents: readonly NativeAgent[] = [claude, codex, mock, opencode, amp, pi]

export const nativeAgent = (id: string): NativeAgent | undefined => nativeAgents.find((agent) => agent.id === id)

/** There without an install. */
export const isPartOfProgram = (id: string): boolean => {
  const agent = nativeAgent(id)
  return agent !== undefined && agent.install === undefined
}

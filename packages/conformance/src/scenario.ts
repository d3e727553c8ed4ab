import type { Capability } from "@sandbox-agent/schema/agent"
import { type RequirementId, requirement } from "./requirements.ts"
import type { Scene } from "./scene.ts"

/**
 * What a run may lack: a daemon that can be killed, an agent whose files may be removed, a model that fails on command,
 * and, where an agent is spoken to by a protocol that is not its own, a word for retries, for the exit codes of commands,
 * for why something is refused, for skills or for MCP servers that are broken; an agent that tells a text while it comes,
 * and one that has a mode for plans.
 */
export type Means =
  | "restart"
  | "memory"
  | "faults"
  | "retries"
  | "exitCodes"
  | "words"
  | "skills"
  | "brokenServers"
  | "partialText"
  | "planMode"

/** One way to see that requirements are met, the same for every agent. */
export interface Scenario {
  name: string
  proves: readonly RequirementId[]
  /** Capabilities it needs beside those of its requirements. */
  needs?: readonly Capability[]
  means?: readonly Means[]
  /** Kills what others work with, or counts it: played when nothing else is. One that needs `restart` always is. */
  alone?: true
  /** Mostly waits, and for long: begun before the others. */
  long?: true
  /** It is as long as so many others: an agent may be asked the same in each of its modes. */
  times?: number
  run(scene: Scene): Promise<void>
}

/** Every capability an agent must declare for this scenario to be asked of it. */
export const neededBy = ({ proves, needs = [] }: Scenario): Capability[] => [
  ...new Set([...proves.map((id) => requirement(id).capability), ...needs]),
]

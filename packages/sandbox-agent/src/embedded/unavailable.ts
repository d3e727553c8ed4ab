import { SandboxAgentError } from "../errors.ts"
import type { SpawnedSandboxAgent, SpawnOptions } from "../spawn.ts"

/** Where there are no processes. */
export function spawnDaemon(_: SpawnOptions): Promise<SpawnedSandboxAgent> {
  return Promise.reject(
    new SandboxAgentError("spawn", "No daemon can be started here: give the baseUrl of one that runs elsewhere"),
  )
}

import { type SpawnOptions, spawnSandboxAgent } from "../spawn.ts"
import type { SandboxProvider } from "./sandbox.ts"

export type LocalOptions = Omit<SpawnOptions, "signal">

/** This machine itself, which holds nothing back from an agent: a daemon that ends with this program. */
export function local(options: LocalOptions = {}): SandboxProvider {
  return {
    name: "local",
    async create({ signal, limits }) {
      const daemon = await spawnSandboxAgent({ timeoutMs: limits.sandboxReadyMs, ...options, signal })
      const { baseUrl, token, pid, dispose } = daemon
      const id = String(pid)
      return { provider: "local", id, baseUrl, token, dispose, remove: dispose, [Symbol.asyncDispose]: dispose }
    },
  }
}

import type { PermissionMode } from "@sandbox-agent/schema/session"
import type { AgentSettings } from "../protocol.ts"

export interface Options {
  home: string
  resume?: string
  forkFrom?: string
  forkAt?: string
  settings: AgentSettings
}

/** Every flag takes the next argument as its value, whatever it looks like. */
export function parseOptions(argv: readonly string[]): Options {
  const flags = new Map<string, string>()
  for (let i = 0; i < argv.length; i += 2) {
    const [flag = "", value] = argv.slice(i, i + 2)
    if (!flag.startsWith("--") || value === undefined) throw new Error(`Bad argument ${flag}`)
    flags.set(flag.slice(2), value)
  }
  const home = flags.get("home")
  if (home === undefined) throw new Error("--home is missing")
  return {
    home,
    resume: flags.get("resume"),
    forkFrom: flags.get("fork-from"),
    forkAt: flags.get("fork-at"),
    settings: {
      agentMode: flags.get("agent-mode") ?? "build",
      permissionMode: (flags.get("permission-mode") ?? "default") as PermissionMode,
      model: flags.get("model"),
      variant: flags.get("variant"),
    },
  }
}

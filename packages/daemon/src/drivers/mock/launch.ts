import { SandboxAgentError } from "@sandbox-agent/schema/error"
import type { Host, OpenFrom, OpenOptions } from "../../core/driver.ts"

/** A session keeps the home it was made in; a new one lives in ours. */
export const homeOf = (from: OpenFrom, host: Host): string => (from.kind === "new" ? host.home : from.ref.home)

/** The flags of the agent program; each takes the next argument as it is. */
export function launchFlags({ from, sessionId, settings }: OpenOptions, home: string): string[] {
  const flags: Record<string, string | undefined> = {
    session: sessionId,
    home,
    "agent-mode": settings.agentMode,
    "permission-mode": settings.permissionMode,
    model: settings.model,
    variant: settings.variant,
  }
  if (from.kind === "fork") {
    flags["fork-from"] = nativeId(from.ref.id)
    flags["fork-at"] = from.at
  } else if (from.kind !== "new") {
    flags.resume = nativeId(from.ref.id)
  }
  return Object.entries(flags).flatMap(([name, value]) => (value === undefined ? [] : [`--${name}`, value]))
}

function nativeId(id: string | undefined): string {
  if (id === undefined) throw new SandboxAgentError("invalid_request", "The session has no native id to continue from")
  return id
}

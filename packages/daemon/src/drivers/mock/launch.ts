import type { Host, OpenFrom, OpenOptions } from "../../core/driver.ts"
import { nativeIdOf } from "../shared/native-home.ts"

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
    flags["fork-from"] = nativeIdOf(from.ref)
    flags["fork-at"] = from.at
  } else if (from.kind !== "new") {
    flags.resume = nativeIdOf(from.ref)
  }
  return Object.entries(flags).flatMap(([name, value]) => (value === undefined ? [] : [`--${name}`, value]))
}

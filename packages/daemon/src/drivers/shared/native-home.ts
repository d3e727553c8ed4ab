import { join } from "node:path"
import { SandboxAgentError } from "@sandbox-agent/schema/error"
import type { Host, NativeRef, OpenFrom } from "../../core/driver.ts"

/** What we write for one session. The id comes from outside and must not walk the disk. */
export const sessionFolder = (sessionId: string, { home }: Pick<Host, "home">): string =>
  join(home, "sessions", encodeURIComponent(sessionId).replaceAll(".", "%2E"))

/** A session keeps the home it was made in. The core knows none for a session it adopts and gives its own folder. */
export function keptHome(from: OpenFrom, { home }: Pick<Host, "home">): string | undefined {
  if (from.kind === "new" || from.kind === "adopt" || from.ref.home === home) return undefined
  return from.ref.home
}

/** What the agent calls the session that is to be continued. */
export function nativeIdOf({ id }: NativeRef): string {
  if (id === undefined) throw new SandboxAgentError("invalid_request", "the session has no native id to continue from")
  return id
}

import { SandboxAgentError } from "@sandbox-agent/schema/error"
import type { Session } from "../../core/session.ts"
import type { AttachRow } from "../../store/acp-rows.ts"
import type { Acp } from "./acp.ts"

/** The session of an attachment; undefined when it was deleted, also if another has its id now. */
export function sessionOf({ services }: Acp, row: Pick<AttachRow, "uid" | "session">): Session | undefined {
  try {
    const s = services.sessions.get(row.session)
    return s.record.uid === row.uid ? s : undefined
  } catch (error) {
    if (SandboxAgentError.is(error) && error.code === "session_not_found") return undefined
    throw error
  }
}
